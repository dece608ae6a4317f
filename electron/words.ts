// The app's own words, in its menus, notices, questions and on its failure page. The console has its own.

import type { StartFault } from '../server/contract/desktop.ts';

/** Singular, plural, and the form for zero if it has its own. `{n}` is the number. */
export type Counted = readonly [one: string, other: string, none?: string];

/** Menu labels: Electron's own are English only. */
export type MenuWord =
  | 'edit'
  | 'undo'
  | 'redo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'selectAll'
  | 'view'
  | 'resetZoom'
  | 'zoomIn'
  | 'zoomOut'
  | 'window'
  | 'minimize'
  | 'close';

export interface Words {
  /** BCP 47 tag of the language. */
  readonly lang: string;
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
  /** On the failure page: why the gateway cannot start, and what to do. */
  readonly faults: Readonly<Record<StartFault, { readonly title: string; readonly todo: string }>>;
  readonly notTaking: string;
  readonly salesSafe: string;
  readonly dataUntouched: string;
  readonly triedInVain: string;
  readonly triesAgain: string;
  readonly forSupport: string;
  readonly tryAgain: string;
  readonly openData: string;
  readonly openLogs: string;
  readonly saveDiagnostics: string;
  readonly diagnosticsFailed: string;
  readonly actFailed: string;
  readonly keepsRunning: string;
  /** In the menus. */
  readonly menus: Readonly<Record<MenuWord, string>>;
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
  /** In the tray: some day of the last week differs. */
  readonly dayDiffers: string;
  readonly silent: string;
  readonly troubleLong: string;
  readonly diskLow: string;
  readonly clockWrong: string;
  readonly damaged: string;
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
  lang: 'en',
  open: 'Open Counterfoil',
  quit: 'Quit',
  restart: 'Restart the gateway',
  cancel: 'Cancel',
  close: 'Close',
  starting: 'Starting …',
  ended: 'Not running. Tills cannot send; Counterfoil tries to start again',
  running: 'Running',
  stopped: 'Stopped',
  noAnswer: 'The gateway does not answer; tills may have to wait',
  faults: {
    port_used: {
      title: 'Another program uses the port that Counterfoil needs',
      todo: 'Close the other program, then try again. Or set another port in settings.json in the data folder.',
    },
    data_in_use: {
      title: 'Another program is using the stored sales',
      todo: 'Close the other Counterfoil, or wait until a running check or backup has finished. Then try again.',
    },
    data_damaged: {
      title: 'The stored sales are damaged',
      todo: 'Delete nothing. Save diagnostics and call your supplier.',
    },
    data_foreign: {
      title: 'The data folder belongs to another program',
      todo: 'Set another data folder, or move the other program’s files away. Then try again.',
    },
    data_newer: {
      title: 'A newer version of Counterfoil stored these sales',
      todo: 'Install the newer version again.',
    },
    disk_full: {
      title: 'The disk is full',
      todo: 'Free some space on the disk. Then try again.',
    },
    data_unwritable: {
      title: 'Counterfoil cannot write to its data folder',
      todo: 'Check the disk and your permissions for the data folder. Then try again.',
    },
    settings_wrong: {
      title: 'A setting is wrong',
      todo: 'Correct the setting named below, usually in settings.json in the data folder. Then try again.',
    },
    other: {
      title: 'Counterfoil could not start',
      todo: 'Try again. If it fails again, save diagnostics and call your supplier.',
    },
  },
  notTaking: 'Tills have not been able to send sales since {time}',
  salesSafe: 'Every sale that Counterfoil confirmed is safe on this disk.',
  dataUntouched: 'Counterfoil has not changed the stored sales.',
  triedInVain: 'Tried again at {time}: still not possible.',
  triesAgain: 'Counterfoil also tries again automatically, at least once a minute.',
  forSupport: 'For support',
  tryAgain: 'Try again',
  openData: 'Open data folder',
  openLogs: 'Open logs',
  saveDiagnostics: 'Save diagnostics …',
  diagnosticsFailed: 'Diagnostics could not be saved. Choose another folder.',
  actFailed: 'That did not work.',
  keepsRunning:
    'Counterfoil keeps running, and tills can send sales. To open this window again, click the icon beside the clock or the program’s shortcut.',
  menus: {
    edit: 'Edit',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    selectAll: 'Select all',
    view: 'View',
    resetZoom: 'Actual size',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    window: 'Window',
    minimize: 'Minimize',
    close: 'Close',
  },
  safeNow: 'Safe to switch off',
  waiting: ['{n} sale on its way', '{n} sales on their way'],
  held: [
    '{n} sale was rejected by the upstream and is kept here; see Upstream',
    '{n} sales were rejected by the upstream and are kept here; see Upstream',
  ],
  lineDown: [
    'No connection; {n} sale is stored here, nothing is lost',
    'No connection; {n} sales are stored here, nothing is lost',
    'No connection; no sale is waiting here. Safe to switch off',
  ],
  refused: [
    'The upstream is refusing sales; {n} sale is stored here',
    'The upstream is refusing sales; {n} sales are stored here',
    'The upstream is refusing sales; no sale is waiting here',
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
    'The connection has been down since {time}. {n} sale is stored here; nothing is lost.',
    'The connection has been down since {time}. {n} sales are stored here; nothing is lost.',
    'The connection has been down since {time}. No sale is waiting here.',
  ],
  refusedLong: [
    'The upstream has been refusing sales since {time}. {n} sale is stored here, safe. See Upstream.',
    'The upstream has been refusing sales since {time}. {n} sales are stored here, safe. See Upstream.',
    'The upstream has been refusing sales since {time}. No sale is waiting here. See Upstream.',
  ],
  differs: '{day} is not complete. See Days.',
  dayDiffers: 'A day is not complete; see Days',
  silent: '{till} has almost certainly fallen silent. See Today.',
  troubleLong: 'No sales can be taken. Every sale that was confirmed is safe. See Today.',
  diskLow: 'The disk is nearly full. Free some space today, so that sales can still be taken.',
  clockWrong: 'The clock of this machine is wrong. Set the clock. Sales are taken as usual.',
  damaged: 'Records on the disk are damaged. See Today.',
  update: 'Update to {version} now …',
  goBack: 'Go back to version {version} …',
  updateTitle: 'Update to version {version}?',
  goBackTitle: 'Go back to version {version}?',
  versionMeans: 'Tills cannot send for about a minute. The sales are backed up first and are kept.',
  updateByItself: 'Otherwise it happens automatically, when no till sends.',
  doUpdate: 'Update',
  doGoBack: 'Go back',
  cannotGoBack: 'Version {version} cannot read the sales as they are stored now. Nothing was changed.',
  versionFailed: 'The other version could not be put in place. This one goes on.',
  updateWaits: 'Version {version} is available. Install it when it suits you, from the menu of the Counterfoil icon.',
  firewallTitle: 'Allow tills through the firewall?',
  firewallMeans:
    'Windows blocks other machines. If you agree, tills on private networks can reach Counterfoil, and a rule that blocks Counterfoil is removed. Windows asks for an administrator. Counterfoil asks only once.',
  firewallYes: 'Allow tills',
  firewallNo: 'No',
  firewallFailed:
    'The firewall was not changed, and tills on other machines may not get through. An administrator can allow Counterfoil on private networks, in Windows under “Allow an app through Windows Firewall”.',
};

const nl: Words = {
  lang: 'nl',
  open: 'Counterfoil openen',
  quit: 'Afsluiten',
  restart: 'De gateway opnieuw starten',
  cancel: 'Annuleren',
  close: 'Sluiten',
  starting: 'Bezig met starten …',
  ended: 'Draait niet. Kassa’s kunnen niets versturen; Counterfoil probeert opnieuw te starten',
  running: 'Draait',
  stopped: 'Gestopt',
  noAnswer: 'De gateway antwoordt niet; kassa’s moeten misschien wachten',
  faults: {
    port_used: {
      title: 'Een ander programma gebruikt de poort van Counterfoil',
      todo: 'Sluit het andere programma en probeer het opnieuw. Of stel in settings.json in de gegevensmap een andere poort in.',
    },
    data_in_use: {
      title: 'Een ander programma gebruikt de opgeslagen verkopen',
      todo: 'Sluit de andere Counterfoil, of wacht tot een lopende controle of reservekopie klaar is. Probeer het dan opnieuw.',
    },
    data_damaged: {
      title: 'De opgeslagen verkopen zijn beschadigd',
      todo: 'Verwijder niets. Sla de diagnosegegevens op en bel uw leverancier.',
    },
    data_foreign: {
      title: 'De gegevensmap is van een ander programma',
      todo: 'Stel een andere gegevensmap in, of verplaats de bestanden van het andere programma. Probeer het dan opnieuw.',
    },
    data_newer: {
      title: 'Een nieuwere versie van Counterfoil heeft deze verkopen opgeslagen',
      todo: 'Installeer de nieuwere versie opnieuw.',
    },
    disk_full: {
      title: 'De schijf is vol',
      todo: 'Maak ruimte op de schijf. Probeer het dan opnieuw.',
    },
    data_unwritable: {
      title: 'Counterfoil kan niet in de gegevensmap schrijven',
      todo: 'Controleer de schijf en uw rechten op de gegevensmap. Probeer het dan opnieuw.',
    },
    settings_wrong: {
      title: 'Een instelling klopt niet',
      todo: 'Corrigeer de hieronder genoemde instelling, meestal in settings.json in de gegevensmap. Probeer het dan opnieuw.',
    },
    other: {
      title: 'Counterfoil kon niet starten',
      todo: 'Probeer het opnieuw. Lukt het weer niet, sla dan de diagnosegegevens op en bel uw leverancier.',
    },
  },
  notTaking: 'Kassa’s kunnen sinds {time} geen verkopen versturen',
  salesSafe: 'Elke verkoop die Counterfoil bevestigd heeft, staat veilig op deze schijf.',
  dataUntouched: 'Counterfoil heeft niets aan de opgeslagen verkopen veranderd.',
  triedInVain: 'Opnieuw geprobeerd om {time}: het lukt nog niet.',
  triesAgain: 'Counterfoil probeert het ook vanzelf opnieuw, minstens elke minuut.',
  forSupport: 'Voor de helpdesk',
  tryAgain: 'Opnieuw proberen',
  openData: 'Gegevensmap openen',
  openLogs: 'Logboeken openen',
  saveDiagnostics: 'Diagnosegegevens opslaan …',
  diagnosticsFailed: 'De diagnosegegevens konden niet worden opgeslagen. Kies een andere map.',
  actFailed: 'Dat is niet gelukt.',
  keepsRunning:
    'Counterfoil blijft draaien en kassa’s kunnen verkopen versturen. Open dit venster weer met het pictogram naast de klok of de snelkoppeling.',
  menus: {
    edit: 'Bewerken',
    undo: 'Ongedaan maken',
    redo: 'Opnieuw uitvoeren',
    cut: 'Knippen',
    copy: 'Kopiëren',
    paste: 'Plakken',
    selectAll: 'Alles selecteren',
    view: 'Beeld',
    resetZoom: 'Ware grootte',
    zoomIn: 'Inzoomen',
    zoomOut: 'Uitzoomen',
    window: 'Venster',
    minimize: 'Minimaliseren',
    close: 'Sluiten',
  },
  safeNow: 'De computer kan veilig uit',
  waiting: ['{n} verkoop onderweg', '{n} verkopen onderweg'],
  held: [
    '{n} verkoop is door de centrale afgewezen en staat hier; zie Centrale',
    '{n} verkopen zijn door de centrale afgewezen en staan hier; zie Centrale',
  ],
  lineDown: [
    'Geen verbinding; {n} verkoop staat hier, er gaat niets verloren',
    'Geen verbinding; {n} verkopen staan hier, er gaat niets verloren',
    'Geen verbinding; er wacht hier geen verkoop. De computer kan veilig uit',
  ],
  refused: [
    'De centrale weigert verkopen; {n} verkoop staat hier',
    'De centrale weigert verkopen; {n} verkopen staan hier',
    'De centrale weigert verkopen; er wacht hier geen verkoop',
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
    'Er is sinds {time} geen verbinding. {n} verkoop staat hier; er gaat niets verloren.',
    'Er is sinds {time} geen verbinding. {n} verkopen staan hier; er gaat niets verloren.',
    'Er is sinds {time} geen verbinding. Er wacht hier geen verkoop.',
  ],
  refusedLong: [
    'De centrale weigert verkopen sinds {time}. {n} verkoop staat hier veilig. Zie Centrale.',
    'De centrale weigert verkopen sinds {time}. {n} verkopen staan hier veilig. Zie Centrale.',
    'De centrale weigert verkopen sinds {time}. Er wacht hier geen verkoop. Zie Centrale.',
  ],
  differs: '{day} is niet compleet. Zie Dagen.',
  dayDiffers: 'Een dag is niet compleet; zie Dagen',
  silent: '{till} is vrijwel zeker stilgevallen. Zie Vandaag.',
  troubleLong: 'Er kunnen geen verkopen aangenomen worden. Elke bevestigde verkoop is veilig. Zie Vandaag.',
  diskLow: 'De schijf is bijna vol. Maak vandaag ruimte vrij, zodat er verkopen aangenomen kunnen worden.',
  clockWrong: 'De klok van deze computer staat verkeerd. Zet de klok gelijk. Verkopen worden gewoon aangenomen.',
  damaged: 'Bonnen op de schijf zijn beschadigd. Zie Vandaag.',
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
    'Windows houdt andere computers tegen. Als u het toestaat, kunnen kassa’s op privénetwerken Counterfoil bereiken, en wordt een regel die Counterfoil blokkeert verwijderd. Windows vraagt om een beheerder. Dit wordt één keer gevraagd.',
  firewallYes: 'Kassa’s doorlaten',
  firewallNo: 'Nee',
  firewallFailed:
    'De firewall is niet veranderd, en kassa’s op andere computers komen er misschien niet door. Een beheerder kan Counterfoil op privénetwerken toestaan, in Windows onder “Een app via Windows Firewall toestaan”.',
};

const de: Words = {
  lang: 'de',
  open: 'Counterfoil öffnen',
  quit: 'Beenden',
  restart: 'Das Gateway neu starten',
  cancel: 'Abbrechen',
  close: 'Schließen',
  starting: 'Startet …',
  ended: 'Läuft nicht. Kassen können nicht senden; Counterfoil versucht, neu zu starten',
  running: 'Läuft',
  stopped: 'Beendet',
  noAnswer: 'Das Gateway antwortet nicht; Kassen müssen vielleicht warten',
  faults: {
    port_used: {
      title: 'Ein anderes Programm belegt den Port von Counterfoil',
      todo: 'Das andere Programm schließen und erneut versuchen. Oder in settings.json im Datenordner einen anderen Port einstellen.',
    },
    data_in_use: {
      title: 'Ein anderes Programm verwendet die gespeicherten Verkäufe',
      todo: 'Das andere Counterfoil beenden oder warten, bis eine laufende Prüfung oder Sicherung fertig ist. Dann erneut versuchen.',
    },
    data_damaged: {
      title: 'Die gespeicherten Verkäufe sind beschädigt',
      todo: 'Nichts löschen. Diagnosedaten speichern und den Lieferanten anrufen.',
    },
    data_foreign: {
      title: 'Der Datenordner gehört einem anderen Programm',
      todo: 'Einen anderen Datenordner einstellen oder die Dateien des anderen Programms verschieben. Dann erneut versuchen.',
    },
    data_newer: {
      title: 'Eine neuere Version von Counterfoil hat diese Verkäufe gespeichert',
      todo: 'Die neuere Version wieder installieren.',
    },
    disk_full: {
      title: 'Die Festplatte ist voll',
      todo: 'Platz auf der Festplatte schaffen. Dann erneut versuchen.',
    },
    data_unwritable: {
      title: 'Counterfoil kann nicht in den Datenordner schreiben',
      todo: 'Die Festplatte und die Berechtigungen für den Datenordner prüfen. Dann erneut versuchen.',
    },
    settings_wrong: {
      title: 'Eine Einstellung ist falsch',
      todo: 'Die unten genannte Einstellung korrigieren, meist in settings.json im Datenordner. Dann erneut versuchen.',
    },
    other: {
      title: 'Counterfoil konnte nicht starten',
      todo: 'Erneut versuchen. Gelingt es wieder nicht, die Diagnosedaten speichern und den Lieferanten anrufen.',
    },
  },
  notTaking: 'Kassen können seit {time} keine Verkäufe senden',
  salesSafe: 'Jeder Verkauf, den Counterfoil bestätigt hat, liegt sicher auf dieser Festplatte.',
  dataUntouched: 'Counterfoil hat die gespeicherten Verkäufe nicht verändert.',
  triedInVain: 'Erneut versucht um {time}: Es geht noch nicht.',
  triesAgain: 'Counterfoil versucht es auch von selbst, mindestens einmal pro Minute.',
  forSupport: 'Für den Support',
  tryAgain: 'Erneut versuchen',
  openData: 'Datenordner öffnen',
  openLogs: 'Protokolle öffnen',
  saveDiagnostics: 'Diagnosedaten speichern …',
  diagnosticsFailed: 'Die Diagnosedaten konnten nicht gespeichert werden. Bitte einen anderen Ordner wählen.',
  actFailed: 'Das hat nicht geklappt.',
  keepsRunning:
    'Counterfoil läuft weiter, und Kassen können Verkäufe senden. Das Symbol neben der Uhr oder die Verknüpfung öffnet dieses Fenster wieder.',
  menus: {
    edit: 'Bearbeiten',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    cut: 'Ausschneiden',
    copy: 'Kopieren',
    paste: 'Einfügen',
    selectAll: 'Alles auswählen',
    view: 'Ansicht',
    resetZoom: 'Originalgröße',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    window: 'Fenster',
    minimize: 'Minimieren',
    close: 'Schließen',
  },
  safeNow: 'Ausschalten ist sicher',
  waiting: ['{n} Verkauf unterwegs', '{n} Verkäufe unterwegs'],
  held: [
    '{n} Verkauf hat die Zentrale zurückgewiesen, er liegt hier; siehe Zentrale',
    '{n} Verkäufe hat die Zentrale zurückgewiesen, sie liegen hier; siehe Zentrale',
  ],
  lineDown: [
    'Keine Verbindung; {n} Verkauf ist hier gespeichert, nichts geht verloren',
    'Keine Verbindung; {n} Verkäufe sind hier gespeichert, nichts geht verloren',
    'Keine Verbindung; hier wartet kein Verkauf. Ausschalten ist sicher',
  ],
  refused: [
    'Die Zentrale lehnt Verkäufe ab; {n} Verkauf liegt hier',
    'Die Zentrale lehnt Verkäufe ab; {n} Verkäufe liegen hier',
    'Die Zentrale lehnt Verkäufe ab; hier wartet kein Verkauf',
  ],
  paused: ['Angehalten; {n} Verkauf liegt hier', 'Angehalten; {n} Verkäufe liegen hier'],
  noUpstream: [
    'Keine Zentrale eingestellt; {n} Verkauf liegt hier',
    'Keine Zentrale eingestellt; {n} Verkäufe liegen hier',
  ],
  trouble: 'Es können keine Verkäufe angenommen werden',
  quitTitle: 'Counterfoil beenden?',
  quitMeans: 'Kassen können nicht senden, bis es wieder läuft. Was sie gesendet haben, liegt auf dieser Festplatte.',
  quitOnlyHere: [
    '{n} Verkauf liegt nur hier und geht weiter, sobald es wieder läuft.',
    '{n} Verkäufe liegen nur hier und gehen weiter, sobald es wieder läuft.',
  ],
  gatewayFailed: 'Das Gateway wurde unerwartet beendet und startet neu. Jeder bestätigte Verkauf ist sicher.',
  lineDownLong: [
    'Seit {time} besteht keine Verbindung. {n} Verkauf ist hier gespeichert; nichts geht verloren.',
    'Seit {time} besteht keine Verbindung. {n} Verkäufe sind hier gespeichert; nichts geht verloren.',
    'Seit {time} besteht keine Verbindung. Hier wartet kein Verkauf.',
  ],
  refusedLong: [
    'Die Zentrale lehnt seit {time} Verkäufe ab. {n} Verkauf ist hier sicher gespeichert. Siehe Zentrale.',
    'Die Zentrale lehnt seit {time} Verkäufe ab. {n} Verkäufe sind hier sicher gespeichert. Siehe Zentrale.',
    'Die Zentrale lehnt seit {time} Verkäufe ab. Hier wartet kein Verkauf. Siehe Zentrale.',
  ],
  differs: '{day} ist nicht vollständig. Siehe Tage.',
  dayDiffers: 'Ein Tag ist nicht vollständig; siehe Tage',
  silent: '{till} sendet sehr wahrscheinlich nicht mehr. Siehe Heute.',
  troubleLong: 'Es können keine Verkäufe angenommen werden. Jeder bestätigte Verkauf ist sicher. Siehe Heute.',
  diskLow: 'Die Festplatte ist fast voll. Heute Platz schaffen, damit Verkäufe angenommen werden können.',
  clockWrong: 'Die Uhr dieses Rechners geht falsch. Bitte richtig stellen. Verkäufe werden weiter angenommen.',
  damaged: 'Belege auf der Festplatte sind beschädigt. Siehe Heute.',
  update: 'Jetzt auf {version} aktualisieren …',
  goBack: 'Zurück zu Version {version} …',
  updateTitle: 'Auf Version {version} aktualisieren?',
  goBackTitle: 'Zurück zu Version {version}?',
  versionMeans: 'Kassen können etwa eine Minute lang nicht senden. Die Verkäufe werden vorher gesichert und bleiben.',
  updateByItself: 'Sonst geschieht es von selbst, wenn keine Kasse sendet.',
  doUpdate: 'Aktualisieren',
  doGoBack: 'Vorversion installieren',
  cannotGoBack: 'Version {version} kann die Verkäufe nicht lesen, wie sie jetzt liegen. Nichts wurde geändert.',
  versionFailed: 'Die andere Version ließ sich nicht einsetzen. Diese läuft weiter.',
  updateWaits: 'Version {version} ist verfügbar. Bei Gelegenheit über das Menü des Counterfoil-Symbols aktualisieren.',
  firewallTitle: 'Kassen durch die Firewall lassen?',
  firewallMeans:
    'Windows hält andere Rechner fern. Wenn Sie zustimmen, können Kassen in privaten Netzen Counterfoil erreichen, und eine Regel, die Counterfoil blockiert, wird entfernt. Windows fragt nach einem Administrator. Gefragt wird nur einmal.',
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

/** The form for n, with its values filled in. */
export function sayCount(
  [one, other, none = other]: Counted,
  n: number,
  values: Readonly<Record<string, string>> = {},
): string {
  return say(n === 0 ? none : n === 1 ? one : other, { ...values, n });
}

/** A time of day, with its date when that is not today's. Epoch milliseconds. */
export function timeOrDate(at: number, now: number, locale: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', ...zone });
  const isToday = day.format(at) === day.format(now);
  const date = isToday ? {} : ({ dateStyle: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...date, ...zone }).format(at);
}
