// What the app says outside of its window: in the tray, in notices, and in the few questions it asks. The console has its own.

/** For one, for any other number, and for none where that is said in another way; `{n}` is the number. */
export type Counted = readonly [one: string, other: string, none?: string];

export interface Words {
  readonly open: string;
  readonly quit: string;
  readonly restart: string;
  readonly cancel: string;
  readonly close: string;
  readonly starting: string;
  readonly ended: string;
  readonly running: string;
  readonly stopped: string;
  readonly noAnswer: string;
  readonly safeNow: string;
  readonly waiting: Counted;
  readonly held: Counted;
  readonly lineDown: Counted;
  readonly refused: Counted;
  readonly paused: Counted;
  readonly noUpstream: Counted;
  readonly trouble: string;
  readonly quitTitle: string;
  readonly quitMeans: string;
  readonly quitOnlyHere: Counted;
  readonly gatewayFailed: string;
  /** `{time}` is with its day where that is not today. */
  readonly lineDownLong: Counted;
  readonly refusedLong: Counted;
  readonly differs: string;
  readonly silent: string;
  readonly troubleLong: string;
  readonly diskLow: string;
  /** `{version}` is the one that is gone to, here and below. */
  readonly update: string;
  readonly goBack: string;
  readonly updateTitle: string;
  readonly goBackTitle: string;
  readonly versionMeans: string;
  readonly updateByItself: string;
  readonly doUpdate: string;
  readonly doGoBack: string;
  readonly cannotGoBack: string;
  readonly versionFailed: string;
  readonly updateWaits: string;
  readonly firewallTitle: string;
  readonly firewallMeans: string;
  readonly firewallYes: string;
  readonly firewallNo: string;
  readonly firewallFailed: string;
}

const en: Words = {
  open: 'Open Counterfoil',
  quit: 'Quit',
  restart: 'Restart the gateway',
  cancel: 'Cancel',
  close: 'Close',
  starting: 'Starting …',
  ended: 'Not running; it starts again by itself. Tills cannot send until then',
  running: 'Running',
  stopped: 'Stopped',
  noAnswer: 'The gateway does not answer; tills may have to wait',
  safeNow: 'Safe to switch off',
  waiting: ['{n} sale on its way', '{n} sales on their way'],
  held: [
    '{n} sale was refused by the upstream and is kept here; see Upstream',
    '{n} sales were refused by the upstream and are kept here; see Upstream',
  ],
  lineDown: [
    'Line down; {n} sale is kept here, nothing is lost',
    'Line down; {n} sales are kept here, nothing is lost',
    'Line down; nothing waits here. Safe to switch off',
  ],
  refused: [
    'The upstream takes nothing; {n} sale is kept here',
    'The upstream takes nothing; {n} sales are kept here',
    'The upstream takes nothing; nothing waits here',
  ],
  paused: ['Paused; {n} sale is kept here', 'Paused; {n} sales are kept here'],
  noUpstream: ['No upstream is set; {n} sale is kept here', 'No upstream is set; {n} sales are kept here'],
  trouble: 'No sales can be taken',
  quitTitle: 'Quit Counterfoil?',
  quitMeans: 'Tills cannot send until it runs again. What they have sent is on this disk.',
  quitOnlyHere: [
    '{n} sale is only here, and goes upstream when it runs again.',
    '{n} sales are only here, and go upstream when it runs again.',
  ],
  gatewayFailed: 'The gateway stopped and is being started again. Every sale it confirmed is safe.',
  lineDownLong: [
    'The line has been down since {time}. {n} sale is kept here; nothing is lost.',
    'The line has been down since {time}. {n} sales are kept here; nothing is lost.',
    'The line has been down since {time}. Nothing waits here.',
  ],
  refusedLong: [
    'The upstream has taken nothing from us since {time}. {n} sale waits here, safe. See Upstream.',
    'The upstream has taken nothing from us since {time}. {n} sales wait here, safe. See Upstream.',
    'The upstream has taken nothing from us since {time}. Nothing waits here. See Upstream.',
  ],
  differs: '{day} is not complete. See Days.',
  silent: '{till} has almost certainly fallen silent. See Today.',
  troubleLong: 'No sales can be taken. Every sale that was confirmed is safe. See Today.',
  diskLow: 'The disk is nearly full. Free some space, so that sales can go on being taken.',
  update: 'Update to {version} now …',
  goBack: 'Go back to version {version} …',
  updateTitle: 'Update to version {version}?',
  goBackTitle: 'Go back to version {version}?',
  versionMeans: 'Tills cannot send for about a minute. The sales are backed up first and are kept.',
  updateByItself: 'Otherwise it happens by itself, when no till sends.',
  doUpdate: 'Update',
  doGoBack: 'Go back',
  cannotGoBack: 'Version {version} cannot read the sales as they are stored now. Nothing was changed.',
  versionFailed: 'The other version could not be put in place. This one goes on.',
  updateWaits: 'Version {version} is available. Install it when it suits you, from the menu of the Counterfoil icon.',
  firewallTitle: 'Let tills in through the firewall?',
  firewallMeans:
    'Windows blocks other machines. If you agree, tills on private networks can reach Counterfoil; Windows asks for an administrator. You are asked only once.',
  firewallYes: 'Let tills in',
  firewallNo: 'No',
  firewallFailed:
    'The firewall was not changed, and tills on other machines may not get through. An administrator can allow Counterfoil on private networks, in Windows under “Allow an app through Windows Firewall”.',
};

const nl: Words = {
  open: 'Counterfoil openen',
  quit: 'Afsluiten',
  restart: 'De gateway opnieuw starten',
  cancel: 'Annuleren',
  close: 'Sluiten',
  starting: 'Bezig met starten …',
  ended: 'Draait niet en start vanzelf opnieuw; intussen kunnen kassa’s niets versturen',
  running: 'Draait',
  stopped: 'Gestopt',
  noAnswer: 'De gateway antwoordt niet; kassa’s moeten misschien wachten',
  safeNow: 'De computer kan veilig uit',
  waiting: ['{n} verkoop onderweg', '{n} verkopen onderweg'],
  held: [
    '{n} verkoop is door de centrale geweigerd en staat hier; zie Centrale',
    '{n} verkopen zijn door de centrale geweigerd en staan hier; zie Centrale',
  ],
  lineDown: [
    'Lijn weg; {n} verkoop staat hier, niets is kwijt',
    'Lijn weg; {n} verkopen staan hier, niets is kwijt',
    'Lijn weg; er wacht hier niets. De computer kan veilig uit',
  ],
  refused: [
    'De centrale neemt niets aan; {n} verkoop staat hier',
    'De centrale neemt niets aan; {n} verkopen staan hier',
    'De centrale neemt niets aan; er wacht hier niets',
  ],
  paused: ['Gepauzeerd; {n} verkoop staat hier', 'Gepauzeerd; {n} verkopen staan hier'],
  noUpstream: ['Geen centrale ingesteld; {n} verkoop staat hier', 'Geen centrale ingesteld; {n} verkopen staan hier'],
  trouble: 'Er kunnen geen verkopen aangenomen worden',
  quitTitle: 'Counterfoil afsluiten?',
  quitMeans: 'Kassa’s kunnen niets versturen tot het weer draait. Wat zij verstuurd hebben staat op deze schijf.',
  quitOnlyHere: [
    '{n} verkoop staat alleen hier, en gaat verder zodra het weer draait.',
    '{n} verkopen staan alleen hier, en gaan verder zodra het weer draait.',
  ],
  gatewayFailed: 'De gateway is gestopt en wordt opnieuw gestart. Elke bevestigde verkoop is veilig.',
  lineDownLong: [
    'De lijn is weg sinds {time}. {n} verkoop staat hier; niets is kwijt.',
    'De lijn is weg sinds {time}. {n} verkopen staan hier; niets is kwijt.',
    'De lijn is weg sinds {time}. Er wacht hier niets.',
  ],
  refusedLong: [
    'De centrale neemt niets van ons aan sinds {time}. {n} verkoop wacht hier, veilig. Zie Centrale.',
    'De centrale neemt niets van ons aan sinds {time}. {n} verkopen wachten hier, veilig. Zie Centrale.',
    'De centrale neemt niets van ons aan sinds {time}. Er wacht hier niets. Zie Centrale.',
  ],
  differs: '{day} is niet compleet. Zie Dagen.',
  silent: '{till} is vrijwel zeker stilgevallen. Zie Vandaag.',
  troubleLong: 'Er kunnen geen verkopen aangenomen worden. Elke bevestigde verkoop is veilig. Zie Vandaag.',
  diskLow: 'De schijf is bijna vol. Maak ruimte, zodat verkopen aangenomen kunnen blijven worden.',
  update: 'Nu bijwerken naar {version} …',
  goBack: 'Teruggaan naar versie {version} …',
  updateTitle: 'Bijwerken naar versie {version}?',
  goBackTitle: 'Terug naar versie {version}?',
  versionMeans:
    'Kassa’s kunnen ongeveer een minuut niets versturen. Van de verkopen wordt eerst een kopie gemaakt, en ze blijven.',
  updateByItself: 'Anders gebeurt het vanzelf, wanneer geen kassa iets verstuurt.',
  doUpdate: 'Bijwerken',
  doGoBack: 'Teruggaan',
  cannotGoBack: 'Versie {version} kan de verkopen niet lezen zoals ze nu bewaard zijn. Er is niets veranderd.',
  versionFailed: 'Het lukte niet om van versie te wisselen. Deze gaat verder.',
  updateWaits:
    'Versie {version} is beschikbaar. Werk bij wanneer het uitkomt, via het menu van het Counterfoil-pictogram.',
  firewallTitle: 'Kassa’s door de firewall laten?',
  firewallMeans:
    'Windows houdt andere computers tegen. Als u het toestaat, kunnen kassa’s op privénetwerken Counterfoil bereiken; Windows vraagt om een beheerder. Dit wordt één keer gevraagd.',
  firewallYes: 'Kassa’s doorlaten',
  firewallNo: 'Nee',
  firewallFailed:
    'De firewall is niet veranderd, en kassa’s op andere machines komen er misschien niet door. Een beheerder kan Counterfoil op privénetwerken toestaan, in Windows onder “Een app via Windows Firewall toestaan”.',
};

const de: Words = {
  open: 'Counterfoil öffnen',
  quit: 'Beenden',
  restart: 'Das Gateway neu starten',
  cancel: 'Abbrechen',
  close: 'Schließen',
  starting: 'Startet …',
  ended: 'Läuft nicht und startet von selbst neu; so lange können Kassen nicht senden',
  running: 'Läuft',
  stopped: 'Angehalten',
  noAnswer: 'Das Gateway antwortet nicht; Kassen müssen vielleicht warten',
  safeNow: 'Ausschalten ist sicher',
  waiting: ['{n} Verkauf unterwegs', '{n} Verkäufe unterwegs'],
  held: [
    '{n} Verkauf hat die Zentrale abgelehnt, er liegt hier; siehe Zentrale',
    '{n} Verkäufe hat die Zentrale abgelehnt, sie liegen hier; siehe Zentrale',
  ],
  lineDown: [
    'Leitung weg; {n} Verkauf liegt hier, nichts ist verloren',
    'Leitung weg; {n} Verkäufe liegen hier, nichts ist verloren',
    'Leitung weg; hier wartet nichts. Ausschalten ist sicher',
  ],
  refused: [
    'Die Zentrale nimmt nichts an; {n} Verkauf liegt hier',
    'Die Zentrale nimmt nichts an; {n} Verkäufe liegen hier',
    'Die Zentrale nimmt nichts an; hier wartet nichts',
  ],
  paused: ['Angehalten; {n} Verkauf liegt hier', 'Angehalten; {n} Verkäufe liegen hier'],
  noUpstream: [
    'Keine Zentrale eingestellt; {n} Verkauf liegt hier',
    'Keine Zentrale eingestellt; {n} Verkäufe liegen hier',
  ],
  trouble: 'Es können keine Verkäufe angenommen werden',
  quitTitle: 'Counterfoil beenden?',
  quitMeans: 'Kassen können nicht senden, bis es wieder läuft. Was sie gesendet haben, liegt auf dieser Platte.',
  quitOnlyHere: [
    '{n} Verkauf liegt nur hier und geht weiter, sobald es wieder läuft.',
    '{n} Verkäufe liegen nur hier und gehen weiter, sobald es wieder läuft.',
  ],
  gatewayFailed: 'Das Gateway wurde unerwartet beendet und startet neu. Jeder bestätigte Verkauf ist sicher.',
  lineDownLong: [
    'Die Leitung ist seit {time} weg. {n} Verkauf liegt hier; nichts ist verloren.',
    'Die Leitung ist seit {time} weg. {n} Verkäufe liegen hier; nichts ist verloren.',
    'Die Leitung ist seit {time} weg. Hier wartet nichts.',
  ],
  refusedLong: [
    'Die Zentrale nimmt seit {time} nichts von uns an. {n} Verkauf ist hier sicher aufbewahrt. Siehe Zentrale.',
    'Die Zentrale nimmt seit {time} nichts von uns an. {n} Verkäufe sind hier sicher aufbewahrt. Siehe Zentrale.',
    'Die Zentrale nimmt seit {time} nichts von uns an. Hier wartet nichts. Siehe Zentrale.',
  ],
  differs: '{day} ist nicht vollständig. Siehe Tage.',
  silent: '{till} sendet sehr wahrscheinlich nicht mehr. Siehe Heute.',
  troubleLong: 'Es können keine Verkäufe angenommen werden. Jeder bestätigte Verkauf ist sicher. Siehe Heute.',
  diskLow: 'Die Platte ist fast voll. Platz schaffen, damit weiter Verkäufe angenommen werden können.',
  update: 'Jetzt auf {version} aktualisieren …',
  goBack: 'Zurück zu Version {version} …',
  updateTitle: 'Auf Version {version} aktualisieren?',
  goBackTitle: 'Zurück zu Version {version}?',
  versionMeans: 'Kassen können etwa eine Minute lang nicht senden. Die Verkäufe werden vorher gesichert und bleiben.',
  updateByItself: 'Sonst geschieht es von selbst, wenn keine Kasse sendet.',
  doUpdate: 'Aktualisieren',
  doGoBack: 'Zurück',
  cannotGoBack: 'Version {version} kann die Verkäufe nicht lesen, wie sie jetzt liegen. Nichts wurde geändert.',
  versionFailed: 'Die andere Version ließ sich nicht einsetzen. Diese läuft weiter.',
  updateWaits: 'Version {version} ist verfügbar. Bei Gelegenheit über das Menü des Counterfoil-Symbols aktualisieren.',
  firewallTitle: 'Kassen durch die Firewall lassen?',
  firewallMeans:
    'Windows hält andere Rechner fern. Wenn Sie zustimmen, können Kassen in privaten Netzen Counterfoil erreichen; Windows fragt nach einem Administrator. Gefragt wird nur einmal.',
  firewallYes: 'Kassen durchlassen',
  firewallNo: 'Nein',
  firewallFailed:
    'Die Firewall wurde nicht geändert, und Kassen auf anderen Rechnern kommen vielleicht nicht durch. Ein Administrator kann Counterfoil in privaten Netzwerken zulassen, in Windows unter „Eine App durch die Windows-Firewall zulassen“.',
};

/** In the language of the system, where we speak it. */
export function wordsOf(locale: string): Words {
  return { en, nl, de }[locale.slice(0, 2)] ?? en;
}

/** Puts values where their names are. */
export function say(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}

/** The same, of so many. */
export function sayCount(
  [one, other, none = other]: Counted,
  n: number,
  values: Readonly<Record<string, string>> = {},
): string {
  return say(n === 0 ? none : n === 1 ? one : other, { ...values, n });
}
