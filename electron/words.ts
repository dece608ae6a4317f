// The texts of the desktop app: menus, notifications, dialogs and the failure page. The console has its own in
// renderer/locales/.

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
  /** `{time}` includes the date if it is not today. */
  readonly lineDownLong: Counted;
  readonly refusedLong: Counted;
  readonly differs: string;
  /** In the tray, when a day of the last week differs. */
  readonly dayDiffers: string;
  readonly silent: string;
  readonly troubleLong: string;
  readonly diskLow: string;
  readonly clockWrong: string;
  readonly damaged: string;
  /** `{version}` is the version to change to, here and below. */
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
  ended: 'The gateway is not running. Tills cannot send; Counterfoil is restarting it',
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
  triedInVain: 'The last attempt to start, at {time}, failed.',
  triesAgain: 'Counterfoil also tries to start automatically, at least once a minute.',
  forSupport: 'For support',
  tryAgain: 'Try again',
  openData: 'Open data folder',
  openLogs: 'Open logs',
  saveDiagnostics: 'Save diagnostics …',
  diagnosticsFailed: 'Diagnostics could not be saved. Choose another folder.',
  actFailed: 'This action failed.',
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
  waiting: ['{n} sale waiting', '{n} sales waiting'],
  held: [
    'The upstream rejected {n} sale; it is stored here. See Upstream',
    'The upstream rejected {n} sales; they are stored here. See Upstream',
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
  paused: ['Forwarding is paused; {n} sale is stored here', 'Forwarding is paused; {n} sales are stored here'],
  noUpstream: ['No upstream is set; {n} sale is stored here', 'No upstream is set; {n} sales are stored here'],
  trouble: 'The gateway accepts no sales',
  quitTitle: 'Quit Counterfoil?',
  quitMeans: 'Tills cannot send until Counterfoil runs again. Sales already received are safe on this disk.',
  quitOnlyHere: [
    '{n} sale is still waiting here. It is sent upstream after the next start.',
    '{n} sales are still waiting here. They are sent upstream after the next start.',
  ],
  gatewayFailed: 'The gateway stopped unexpectedly and is restarting. Every confirmed sale is safe.',
  lineDownLong: [
    'The connection has been down since {time}. {n} sale is stored here; nothing is lost.',
    'The connection has been down since {time}. {n} sales are stored here; nothing is lost.',
    'The connection has been down since {time}. No sale is waiting here.',
  ],
  refusedLong: [
    'The upstream has been refusing sales since {time}. {n} sale is stored safely here. See Upstream.',
    'The upstream has been refusing sales since {time}. {n} sales are stored safely here. See Upstream.',
    'The upstream has been refusing sales since {time}. No sale is waiting here. See Upstream.',
  ],
  differs: '{day} is not complete. See Days.',
  dayDiffers: 'A day is not complete; see Days',
  silent: '{till} has almost certainly stopped sending. See Today.',
  troubleLong: 'The gateway accepts no sales. Every confirmed sale is safe. See Today.',
  diskLow: 'The disk is nearly full. Tills can still sell. Free some space today.',
  clockWrong: 'The clock of this computer is wrong. Set the clock. Tills can still sell.',
  damaged: 'Stored records on this disk are damaged. See Today.',
  update: 'Update to {version} now …',
  goBack: 'Go back to version {version} …',
  updateTitle: 'Update to version {version}?',
  goBackTitle: 'Go back to version {version}?',
  versionMeans: 'Tills cannot send for about a minute. Counterfoil backs up all sales first.',
  updateByItself: 'If you cancel, Counterfoil updates automatically later, when no till is sending.',
  doUpdate: 'Update',
  doGoBack: 'Go back',
  cannotGoBack: 'Version {version} cannot read the stored sales. Nothing was changed.',
  versionFailed: 'Counterfoil could not change the version. The current version keeps running.',
  updateWaits: 'Version {version} is available. Install it from the menu of the Counterfoil icon.',
  firewallTitle: 'Allow tills through the firewall?',
  firewallMeans:
    'Windows Firewall blocks connections from other computers. If you agree, tills on private networks can reach Counterfoil. A rule that blocks Counterfoil is removed. Windows asks for an administrator. Counterfoil asks only once.',
  firewallYes: 'Allow tills',
  firewallNo: 'No',
  firewallFailed:
    'The firewall was not changed. Tills on other computers may not reach Counterfoil. Ask an administrator to allow Counterfoil on private networks: in Windows, under “Allow an app through Windows Firewall”.',
};

const nl: Words = {
  lang: 'nl',
  open: 'Counterfoil openen',
  quit: 'Afsluiten',
  restart: 'De gateway opnieuw starten',
  cancel: 'Annuleren',
  close: 'Sluiten',
  starting: 'Bezig met starten …',
  ended: 'De gateway draait niet. Kassa’s kunnen niets versturen; Counterfoil start hem opnieuw',
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
  triedInVain: 'De laatste startpoging om {time} is mislukt.',
  triesAgain: 'Counterfoil probeert ook automatisch te starten, minstens elke minuut.',
  forSupport: 'Voor de helpdesk',
  tryAgain: 'Opnieuw proberen',
  openData: 'Gegevensmap openen',
  openLogs: 'Logboeken openen',
  saveDiagnostics: 'Diagnosegegevens opslaan …',
  diagnosticsFailed: 'De diagnosegegevens konden niet worden opgeslagen. Kies een andere map.',
  actFailed: 'Deze actie is mislukt.',
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
  waiting: ['{n} verkoop wacht', '{n} verkopen wachten'],
  held: [
    'De centrale heeft {n} verkoop afgewezen; die staat hier. Zie Centrale',
    'De centrale heeft {n} verkopen afgewezen; ze staan hier. Zie Centrale',
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
  paused: ['Doorsturen is gepauzeerd; {n} verkoop staat hier', 'Doorsturen is gepauzeerd; {n} verkopen staan hier'],
  noUpstream: ['Geen centrale ingesteld; {n} verkoop staat hier', 'Geen centrale ingesteld; {n} verkopen staan hier'],
  trouble: 'De gateway neemt geen verkopen aan',
  quitTitle: 'Counterfoil afsluiten?',
  quitMeans:
    'Kassa’s kunnen niets versturen tot Counterfoil weer draait. Ontvangen verkopen staan veilig op deze schijf.',
  quitOnlyHere: [
    '{n} verkoop wacht hier nog en wordt na de volgende start doorgestuurd.',
    '{n} verkopen wachten hier nog en worden na de volgende start doorgestuurd.',
  ],
  gatewayFailed: 'De gateway is onverwacht gestopt en start opnieuw. Elke bevestigde verkoop is veilig.',
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
  silent: '{till} stuurt vrijwel zeker niet meer. Zie Vandaag.',
  troubleLong: 'De gateway neemt geen verkopen aan. Elke bevestigde verkoop is veilig. Zie Vandaag.',
  diskLow: 'De schijf is bijna vol. Kassa’s kunnen nog verkopen. Maak vandaag ruimte vrij.',
  clockWrong: 'De klok van deze computer staat verkeerd. Zet de klok gelijk. Kassa’s kunnen gewoon verkopen.',
  damaged: 'Bonnen op deze schijf zijn beschadigd. Zie Vandaag.',
  update: 'Nu bijwerken naar {version} …',
  goBack: 'Teruggaan naar versie {version} …',
  updateTitle: 'Bijwerken naar versie {version}?',
  goBackTitle: 'Terug naar versie {version}?',
  versionMeans:
    'Kassa’s kunnen ongeveer een minuut niets versturen. Counterfoil maakt eerst een reservekopie van alle verkopen.',
  updateByItself: 'Bij annuleren werkt Counterfoil later automatisch bij, wanneer geen kassa iets verstuurt.',
  doUpdate: 'Bijwerken',
  doGoBack: 'Teruggaan',
  cannotGoBack: 'Versie {version} kan de opgeslagen verkopen niet lezen. Er is niets veranderd.',
  versionFailed: 'Het wisselen van versie is mislukt. De huidige versie blijft draaien.',
  updateWaits: 'Versie {version} is beschikbaar. Werk bij via het menu van het Counterfoil-pictogram.',
  firewallTitle: 'Kassa’s door de firewall laten?',
  firewallMeans:
    'De Windows Firewall houdt andere computers tegen. Als u het toestaat, kunnen kassa’s op privénetwerken Counterfoil bereiken. Een regel die Counterfoil blokkeert, wordt verwijderd. Windows vraagt om een beheerder. Dit wordt één keer gevraagd.',
  firewallYes: 'Kassa’s doorlaten',
  firewallNo: 'Nee',
  firewallFailed:
    'De firewall is niet veranderd. Kassa’s op andere computers bereiken Counterfoil misschien niet. Vraag een beheerder om Counterfoil op privénetwerken toe te staan: in Windows, onder ‘Een app via Windows Firewall toestaan’.',
};

const de: Words = {
  lang: 'de',
  open: 'Counterfoil öffnen',
  quit: 'Beenden',
  restart: 'Das Gateway neu starten',
  cancel: 'Abbrechen',
  close: 'Schließen',
  starting: 'Startet …',
  ended: 'Das Gateway läuft nicht. Kassen können nicht senden; Counterfoil startet es neu',
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
  triedInVain: 'Der letzte Startversuch um {time} ist fehlgeschlagen.',
  triesAgain: 'Counterfoil versucht auch automatisch zu starten, mindestens einmal pro Minute.',
  forSupport: 'Für den Support',
  tryAgain: 'Erneut versuchen',
  openData: 'Datenordner öffnen',
  openLogs: 'Protokolle öffnen',
  saveDiagnostics: 'Diagnosedaten speichern …',
  diagnosticsFailed: 'Die Diagnosedaten konnten nicht gespeichert werden. Bitte einen anderen Ordner wählen.',
  actFailed: 'Diese Aktion ist fehlgeschlagen.',
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
  waiting: ['{n} Verkauf wartet', '{n} Verkäufe warten'],
  held: [
    'Die Zentrale hat {n} Verkauf zurückgewiesen; er liegt hier. Siehe Zentrale',
    'Die Zentrale hat {n} Verkäufe zurückgewiesen; sie liegen hier. Siehe Zentrale',
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
  paused: ['Weiterleiten angehalten; {n} Verkauf liegt hier', 'Weiterleiten angehalten; {n} Verkäufe liegen hier'],
  noUpstream: [
    'Keine Zentrale eingestellt; {n} Verkauf liegt hier',
    'Keine Zentrale eingestellt; {n} Verkäufe liegen hier',
  ],
  trouble: 'Das Gateway nimmt keine Verkäufe an',
  quitTitle: 'Counterfoil beenden?',
  quitMeans:
    'Kassen können nicht senden, bis Counterfoil wieder läuft. Empfangene Verkäufe liegen sicher auf dieser Festplatte.',
  quitOnlyHere: [
    '{n} Verkauf wartet noch hier und wird nach dem nächsten Start weitergeleitet.',
    '{n} Verkäufe warten noch hier und werden nach dem nächsten Start weitergeleitet.',
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
  silent: '{till} sendet fast sicher nicht mehr. Siehe Heute.',
  troubleLong: 'Das Gateway nimmt keine Verkäufe an. Jeder bestätigte Verkauf ist sicher. Siehe Heute.',
  diskLow: 'Die Festplatte ist fast voll. Die Kassen können noch verkaufen. Heute Platz schaffen.',
  clockWrong: 'Die Uhr dieses Rechners geht falsch. Die Uhr richtig stellen. Die Kassen können weiter verkaufen.',
  damaged: 'Belege auf dieser Festplatte sind beschädigt. Siehe Heute.',
  update: 'Jetzt auf {version} aktualisieren …',
  goBack: 'Zurück zu Version {version} …',
  updateTitle: 'Auf Version {version} aktualisieren?',
  goBackTitle: 'Zurück zu Version {version}?',
  versionMeans: 'Kassen können etwa eine Minute lang nicht senden. Counterfoil sichert vorher alle Verkäufe.',
  updateByItself: 'Bei „Abbrechen“ aktualisiert sich Counterfoil später automatisch, wenn keine Kasse sendet.',
  doUpdate: 'Aktualisieren',
  doGoBack: 'Vorversion installieren',
  cannotGoBack: 'Version {version} kann die gespeicherten Verkäufe nicht lesen. Nichts wurde geändert.',
  versionFailed: 'Der Wechsel der Version ist fehlgeschlagen. Die jetzige Version läuft weiter.',
  updateWaits: 'Version {version} ist verfügbar. Über das Menü des Counterfoil-Symbols aktualisieren.',
  firewallTitle: 'Kassen durch die Firewall lassen?',
  firewallMeans:
    'Die Windows-Firewall hält andere Rechner fern. Wenn Sie zustimmen, können Kassen in privaten Netzen Counterfoil erreichen. Eine Regel, die Counterfoil blockiert, wird entfernt. Windows fragt nach einem Administrator. Gefragt wird nur einmal.',
  firewallYes: 'Kassen durchlassen',
  firewallNo: 'Nein',
  firewallFailed:
    'Die Firewall wurde nicht geändert. Kassen auf anderen Rechnern erreichen Counterfoil vielleicht nicht. Einen Administrator bitten, Counterfoil in privaten Netzwerken zuzulassen: in Windows unter „Eine App durch die Windows-Firewall zulassen“.',
};

/** The texts in the system's language; otherwise English. */
export function wordsOf(locale: string): Words {
  return { en, nl, de }[locale.slice(0, 2)] ?? en;
}

/** Replaces each `{name}` in a text with its value. */
export function say(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}

/** The plural form for `n`, with its values. */
export function sayCount(
  [one, other, none = other]: Counted,
  n: number,
  values: Readonly<Record<string, string>> = {},
): string {
  return say(n === 0 ? none : n === 1 ? one : other, { ...values, n });
}

/** A time of day, with its date if it is not today. Epoch milliseconds. */
export function timeOrDate(at: number, now: number, locale: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', ...zone });
  const isToday = day.format(at) === day.format(now);
  const date = isToday ? {} : ({ dateStyle: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...date, ...zone }).format(at);
}
