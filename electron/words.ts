// What the app says outside of its window: in the tray, in notices, and in the few questions it asks. The console has its own.

export interface Words {
  readonly open: string;
  readonly quit: string;
  readonly restart: string;
  readonly starting: string;
  readonly ended: string;
  readonly unknown: string;
  readonly safeNow: string;
  /** `{n}` is a number of sales. */
  readonly waiting: string;
  readonly lineDown: string;
  readonly refused: string;
  readonly paused: string;
  readonly noUpstream: string;
  readonly trouble: string;
  readonly quitTitle: string;
  readonly quitMeans: string;
  readonly quitWaiting: string;
  readonly cancel: string;
  readonly lineDownLong: string;
  readonly differs: string;
  readonly silent: string;
  readonly gatewayFailed: string;
}

const en: Words = {
  open: 'Open Counterfoil',
  quit: 'Quit',
  restart: 'Restart the gateway',
  starting: 'Starting …',
  ended: 'Not running; it is started again by itself. Tills cannot send.',
  unknown: 'Running',
  safeNow: 'Safe to switch off',
  waiting: '{n} sales on their way upstream',
  lineDown: 'Line down; {n} sales are kept here, nothing is lost',
  refused: 'The upstream takes nothing; {n} sales are kept here',
  paused: 'Paused; {n} sales are kept here',
  noUpstream: 'No upstream is set; {n} sales are kept here',
  trouble: 'No sales can be taken',
  quitTitle: 'Quit Counterfoil?',
  quitMeans: 'Tills cannot send until it runs again. What they sent so far is on this disk.',
  quitWaiting: '{n} sales are only here and go upstream when it runs again.',
  cancel: 'Cancel',
  lineDownLong: 'The line has been down since {time}. {n} sales are kept here; nothing is lost.',
  differs: '{day} is not complete: look at it in Days.',
  silent: '{till} may have fallen silent.',
  gatewayFailed: 'The gateway ended and is started again. What was answered is safe.',
};

const nl: Words = {
  open: 'Counterfoil openen',
  quit: 'Afsluiten',
  restart: 'Gateway opnieuw starten',
  starting: 'Start …',
  ended: 'Draait niet; start vanzelf opnieuw. Kassa’s kunnen niet zenden.',
  unknown: 'Draait',
  safeNow: 'U kunt veilig uitschakelen',
  waiting: '{n} verkopen onderweg naar boven',
  lineDown: 'Lijn verbroken; {n} verkopen staan hier, niets is kwijt',
  refused: 'Boven wordt niets aangenomen; {n} verkopen staan hier',
  paused: 'Gepauzeerd; {n} verkopen staan hier',
  noUpstream: 'Nog geen bestemming ingesteld; {n} verkopen staan hier',
  trouble: 'Er kunnen geen verkopen worden aangenomen',
  quitTitle: 'Counterfoil afsluiten?',
  quitMeans: 'Kassa’s kunnen niet zenden tot het weer draait. Wat zij al zonden staat op deze schijf.',
  quitWaiting: '{n} verkopen staan alleen hier en gaan verder zodra het weer draait.',
  cancel: 'Annuleren',
  lineDownLong: 'De lijn is verbroken sinds {time}. {n} verkopen staan hier; niets is kwijt.',
  differs: '{day} is niet compleet: kijk bij Dagen.',
  silent: '{till} is misschien stilgevallen.',
  gatewayFailed: 'De gateway stopte en wordt opnieuw gestart. Wat beantwoord was, is veilig.',
};

const de: Words = {
  open: 'Counterfoil öffnen',
  quit: 'Beenden',
  restart: 'Gateway neu starten',
  starting: 'Startet …',
  ended: 'Läuft nicht; wird von selbst neu gestartet. Kassen können nicht senden.',
  unknown: 'Läuft',
  safeNow: 'Kann sicher ausgeschaltet werden',
  waiting: '{n} Verkäufe sind unterwegs',
  lineDown: 'Leitung unterbrochen; {n} Verkäufe liegen hier, nichts ist verloren',
  refused: 'Die Gegenstelle nimmt nichts an; {n} Verkäufe liegen hier',
  paused: 'Angehalten; {n} Verkäufe liegen hier',
  noUpstream: 'Noch kein Ziel eingestellt; {n} Verkäufe liegen hier',
  trouble: 'Es können keine Verkäufe angenommen werden',
  quitTitle: 'Counterfoil beenden?',
  quitMeans: 'Kassen können nicht senden, bis es wieder läuft. Was sie gesendet haben, liegt auf dieser Platte.',
  quitWaiting: '{n} Verkäufe liegen nur hier und gehen weiter, sobald es wieder läuft.',
  cancel: 'Abbrechen',
  lineDownLong: 'Die Leitung ist seit {time} unterbrochen. {n} Verkäufe liegen hier; nichts ist verloren.',
  differs: '{day} ist nicht vollständig: siehe Tage.',
  silent: '{till} ist vielleicht verstummt.',
  gatewayFailed: 'Das Gateway wurde beendet und wird neu gestartet. Was beantwortet war, ist sicher.',
};

/** In the language of the system, where we speak it. */
export function wordsOf(locale: string): Words {
  return { en, nl, de }[locale.slice(0, 2)] ?? en;
}

/** Puts values where their names are. */
export function say(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}
