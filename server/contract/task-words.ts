// The texts of all kinds of task, in each language. The console, the command line and the alerts all use them. No text contains
// anything from the body of a record. Pure.

import type { CauseCode } from './codes.ts';
import type { TaskFact, TaskKind } from './todo.ts';
import type { ReasonCode } from './verdicts.ts';

export const TASK_LANGUAGES = ['en', 'nl', 'de'] as const;
export type TaskLanguage = (typeof TASK_LANGUAGES)[number];

/** Formats numbers and times in the reader's language and the store's time zone. */
export interface TaskFormats {
  number(value: number): string;
  /** Formats a calendar day, given as YYYY-MM-DD. */
  date(day: string): string;
  /** Formats a time, given in epoch milliseconds. */
  time(at: number): string;
  /** Returns the calendar day of a time (epoch milliseconds) as YYYY-MM-DD. */
  day(at: number): string;
  /** Formats disk space, given in bytes. */
  space(bytes: number): string;
}

/** Two sentences: `what` says what is wrong, and `action` says what to do. */
export interface TaskText {
  readonly what: string;
  readonly action: string;
}

type Of<Kind extends TaskKind> = Extract<TaskFact, { readonly kind: Kind }>;
type Words = { readonly [Kind in TaskKind]: (fact: Of<Kind>, formats: TaskFormats) => TaskText };

/** Returns the texts of a task: what is wrong, and what to do. */
export function taskWords(fact: TaskFact, language: TaskLanguage, formats: TaskFormats): TaskText {
  return (WORDS[language][fact.kind] as (fact: TaskFact, formats: TaskFormats) => TaskText)(fact, formats);
}

/** Writes a count with its noun: "1 sale" or "12 sales". */
type Counter = (count: number, formats: TaskFormats) => string;
const counter =
  (one: string, many: string): Counter =>
  (count, { number }) =>
    `${number(count)} ${count === 1 ? one : many}`;

/** Writes labels as a list: "Till 1, Till 2". */
const listed = (labels: readonly string[]): string => labels.join(', ');

/** The reasons that make the verdict of a day `differs`. */
type Difference = Extract<
  ReasonCode,
  | 'missing_upstream'
  | 'held'
  | 'set_aside'
  | 'missing_here'
  | 'twice_upstream'
  | 'other_upstream'
  | 'declared_more'
  | 'declared_less'
  | 'amount_more'
  | 'amount_less'
>;
type Differences = Readonly<Record<Difference, string>>;

/** Writes the differences of a day: "2 sales are missing upstream, 1 sale is held". */
function differencesOf(
  { reasons }: Of<'day_differs'>,
  words: Differences,
  sales: Counter,
  formats: TaskFormats,
): string {
  return reasons
    .flatMap(({ code, count }) => {
      const found = words[code.replace('earlier_', '') as Difference] as string | undefined;
      if (found === undefined) return [];
      // a difference in money is not counted in sales
      return [code.startsWith('amount_') ? found : `${sales(count, formats)} ${found}`];
    })
    .join(', ');
}

const enSales = counter('sale', 'sales');
const enCalls = counter('call', 'calls');
const enNumbers = counter('number', 'numbers');
const EN: Words = {
  store_full: ({ since }, x) => ({
    what: `The disk is full. No sale has been accepted since ${x.time(since)}; confirmed sales are safe.`,
    action: 'Free space on the disk. The gateway then continues automatically.',
  }),
  store_unavailable: ({ since }, x) => ({
    what: `The disk cannot be written. No sale has been accepted since ${x.time(since)}; confirmed sales are safe.`,
    action: 'Check the disk. The gateway then continues automatically.',
  }),
  records_damaged: ({ records }, x) => ({
    what: `${counter('record', 'records')(records, x)} on the disk ${records === 1 ? 'is' : 'are'} damaged.`,
    action: 'Copy the data to a new disk, and look for the records in an earlier backup.',
  }),
  wal_damaged: ({ foundAt, hasLostSales }, x) => ({
    what: hasLostSales
      ? `The log of the last sales was damaged at the start on ${x.time(foundAt)}. Confirmed sales may be missing.`
      : `The log of the last sales was damaged at the start on ${x.time(foundAt)}, and was repaired.`,
    action: hasLostSales ? 'Compare the last days with the tills, and replace the disk.' : 'Check the disk.',
  }),
  index_damaged: ({ foundAt }, x) => ({
    what: `An index of the database has been damaged since ${x.time(foundAt)}. A repeated sale may count twice.`,
    action: 'Restart the gateway, which rebuilds the index. Then check the data and replace the disk.',
  }),
  clock_wrong: () => ({ what: 'The clock of this machine is wrong.', action: 'Set the clock.' }),
  disk_low: ({ freeBytes }, x) => ({
    what: `The disk is nearly full: ${x.space(freeBytes)} free. Tills can still sell.`,
    action: 'Free space on the disk today.',
  }),
  backup_old: ({ lastAt }, x) => ({
    what: lastAt === null ? 'There is no backup of the data.' : `The last backup is from ${x.date(x.day(lastAt))}.`,
    action: 'Make a backup on another disk.',
  }),
  certificate_ends: ({ of, expiresAt, isOver }, x) => ({
    what: `${{ files: 'The certificate of the shop', own: 'The certificate of the gateway', authority: 'The certificate authority of the gateway' }[of]} ${isOver ? 'expired' : 'expires'} on ${x.date(x.day(expiresAt))}.${isOver ? ' Tills cannot connect by HTTPS.' : ''}`,
    action: {
      files: 'Put a renewed certificate in its place.',
      own: 'Restart the gateway, which renews it.',
      authority: 'Plan how each till will trust a new authority.',
    }[of],
  }),
  upstream_stopped: ({ state, cause, since, waiting, interface: by }, x) => {
    const earlier = by === 'earlier' ? ' of the earlier interface' : '';
    const left = ` ${enSales(waiting, x)}${earlier} ${waiting === 1 ? 'waits' : 'wait'}; nothing is lost.`;
    if (state === 'paused')
      return { what: `Forwarding has been paused since ${x.time(since)}.${left}`, action: 'Resume forwarding.' };
    if (state === 'line down')
      return {
        what: `The connection to the upstream has been down since ${x.time(since)}.${left}`,
        action: 'Check the internet connection, then the upstream.',
      };
    return {
      what: `The upstream has been refusing our sales since ${x.time(since)}${isKeyRefused(cause) ? ', because it refuses our key' : ''}.${left}`,
      action: isKeyRefused(cause) ? 'Enter a valid key.' : 'Check the address of the upstream.',
    };
  },
  held: ({ records, interface: by }, x) => ({
    what: `The upstream rejected ${enSales(records, x)}${by === 'earlier' ? ' of the earlier interface' : ''}, which the gateway holds.`,
    action: 'Read the reason. Then send them again, or set them aside.',
  }),
  day_differs: (fact, x) => ({
    what: `${x.date(fact.date)} differs: ${differencesOf(
      fact,
      {
        missing_upstream: 'missing upstream',
        held: 'held',
        set_aside: 'set aside',
        missing_here: 'missing here',
        twice_upstream: 'upstream twice',
        other_upstream: 'with other content upstream',
        declared_more: 'declared but not here',
        declared_less: 'here but not declared',
        amount_more: 'the declared amount is higher than the sum here',
        amount_less: 'the declared amount is lower than the sum here',
      },
      enSales,
      x,
    )}.`,
    action: 'Open the day, find the cause, and sign it off.',
  }),
  silent_till: ({ till, since, sureness }, x) => ({
    what: `${till} has ${sureness === 'likely' ? 'probably ' : ''}stopped sending. Last call: ${x.time(since)}.`,
    action: 'Look at the till and its network cable.',
  }),
  numbers_skipped: ({ date, tills, numbers, sureness }, x) => ({
    what: `${listed(tills)}: ${enNumbers(numbers, x)} ${numbers === 1 ? 'is' : 'are'} ${sureness === 'likely' ? 'probably ' : ''}missing up to ${x.date(date)}.`,
    action: 'Look for these sales at the till.',
  }),
  conflicts: ({ date, records, tills }, x) => ({
    what: `${listed(tills)}: ${enSales(records, x)} of ${x.date(date)} came again with other content.`,
    action: 'Compare both copies, and ask the till’s supplier about the cause.',
  }),
  refusals: ({ till, calls, lastAt }, x) => ({
    what: `${enCalls(calls, x)} ${till === null ? 'without a known key' : `of ${till}`} ${calls === 1 ? 'was' : 'were'} refused. Last call: ${x.time(lastAt)}.`,
    action: 'Read the reason, and correct the till. Refused sales must be sent again.',
  }),
};

const nlSales = counter('verkoop', 'verkopen');
const nlNumbers = counter('nummer', 'nummers');
const nlCalls = counter('aanroep', 'aanroepen');
const NL: Words = {
  store_full: ({ since }, x) => ({
    what: `De schijf is vol. Sinds ${x.time(since)} is geen verkoop aangenomen; bevestigde verkopen zijn veilig.`,
    action: 'Maak ruimte op de schijf. Daarna gaat de gateway vanzelf verder.',
  }),
  store_unavailable: ({ since }, x) => ({
    what: `De schijf is niet beschrijfbaar. Sinds ${x.time(since)} is geen verkoop aangenomen; bevestigde verkopen zijn veilig.`,
    action: 'Controleer de schijf. Daarna gaat de gateway vanzelf verder.',
  }),
  records_damaged: ({ records }, x) => ({
    what: `${counter('bon', 'bonnen')(records, x)} op de schijf ${records === 1 ? 'is' : 'zijn'} beschadigd.`,
    action: 'Kopieer de gegevens naar een nieuwe schijf en zoek de bonnen in een eerdere back-up.',
  }),
  wal_damaged: ({ foundAt, hasLostSales }, x) => ({
    what: hasLostSales
      ? `Het logbestand met de laatste verkopen was beschadigd bij de start op ${x.time(foundAt)}. Er kunnen bevestigde verkopen ontbreken.`
      : `Het logbestand met de laatste verkopen was beschadigd bij de start op ${x.time(foundAt)} en is hersteld.`,
    action: hasLostSales ? 'Vergelijk de laatste dagen met de kassa’s en vervang de schijf.' : 'Controleer de schijf.',
  }),
  index_damaged: ({ foundAt }, x) => ({
    what: `Een index van de database is sinds ${x.time(foundAt)} beschadigd. Een herhaalde verkoop kan dubbel tellen.`,
    action: 'Start de gateway opnieuw; die herstelt de index. Controleer daarna de gegevens en vervang de schijf.',
  }),
  clock_wrong: () => ({ what: 'De klok van deze computer loopt verkeerd.', action: 'Zet de klok goed.' }),
  disk_low: ({ freeBytes }, x) => ({
    what: `De schijf is bijna vol: ${x.space(freeBytes)} vrij. Kassa’s kunnen nog verkopen.`,
    action: 'Maak vandaag ruimte op de schijf.',
  }),
  backup_old: ({ lastAt }, x) => ({
    what:
      lastAt === null ? 'Er is geen back-up van de gegevens.' : `De laatste back-up is van ${x.date(x.day(lastAt))}.`,
    action: 'Maak een back-up op een andere schijf.',
  }),
  certificate_ends: ({ of, expiresAt, isOver }, x) => ({
    what: `${{ files: 'Het certificaat van de winkel', own: 'Het certificaat van de gateway', authority: 'De certificaatautoriteit van de gateway' }[of]} ${isOver ? 'is verlopen op' : 'verloopt op'} ${x.date(x.day(expiresAt))}.${isOver ? ' Kassa’s kunnen niet via HTTPS verbinden.' : ''}`,
    action: {
      files: 'Vervang het door een vernieuwd certificaat.',
      own: 'Start de gateway opnieuw; die vernieuwt het.',
      authority: 'Plan hoe elke kassa een nieuwe autoriteit gaat vertrouwen.',
    }[of],
  }),
  upstream_stopped: ({ state, cause, since, waiting, interface: by }, x) => {
    const earlier = by === 'earlier' ? ' van de oudere koppeling' : '';
    const left = ` ${nlSales(waiting, x)}${earlier} ${waiting === 1 ? 'wacht' : 'wachten'}; er gaat niets verloren.`;
    if (state === 'paused')
      return {
        what: `Het doorsturen is sinds ${x.time(since)} gepauzeerd.${left}`,
        action: 'Hervat het doorsturen.',
      };
    if (state === 'line down')
      return {
        what: `De verbinding met de centrale is sinds ${x.time(since)} verbroken.${left}`,
        action: 'Controleer de internetverbinding en daarna de centrale.',
      };
    return {
      what: `De centrale weigert onze verkopen sinds ${x.time(since)}${isKeyRefused(cause) ? ', omdat onze sleutel wordt geweigerd' : ''}.${left}`,
      action: isKeyRefused(cause) ? 'Vul een geldige sleutel in.' : 'Controleer het adres van de centrale.',
    };
  },
  held: ({ records, interface: by }, x) => ({
    what: `De centrale heeft ${nlSales(records, x)}${by === 'earlier' ? ' van de oudere koppeling' : ''} afgewezen; de gateway houdt ze vast.`,
    action: 'Lees de reden. Stuur ze daarna opnieuw of leg ze terzijde.',
  }),
  day_differs: (fact, x) => ({
    what: `${x.date(fact.date)} wijkt af: ${differencesOf(
      fact,
      {
        missing_upstream: 'niet bij de centrale',
        held: 'vastgehouden',
        set_aside: 'terzijde gelegd',
        missing_here: 'niet hier',
        twice_upstream: 'dubbel bij de centrale',
        other_upstream: 'met andere inhoud bij de centrale',
        declared_more: 'opgegeven maar niet hier',
        declared_less: 'hier maar niet opgegeven',
        amount_more: 'het opgegeven bedrag is hoger dan de som hier',
        amount_less: 'het opgegeven bedrag is lager dan de som hier',
      },
      nlSales,
      x,
    )}.`,
    action: 'Open de dag, zoek de oorzaak en teken de dag af.',
  }),
  silent_till: ({ till, since, sureness }, x) => ({
    what: `${till} stuurt ${sureness === 'likely' ? 'waarschijnlijk ' : ''}niets meer. Laatste aanroep: ${x.time(since)}.`,
    action: 'Controleer de kassa en de netwerkkabel.',
  }),
  numbers_skipped: ({ date, tills, numbers, sureness }, x) => ({
    what: `${listed(tills)}: ${nlNumbers(numbers, x)} ${numbers === 1 ? 'ontbreekt' : 'ontbreken'} ${sureness === 'likely' ? 'waarschijnlijk ' : ''}tot en met ${x.date(date)}.`,
    action: 'Zoek deze verkopen op de kassa.',
  }),
  conflicts: ({ date, records, tills }, x) => ({
    what: `${listed(tills)}: ${nlSales(records, x)} van ${x.date(date)} ${records === 1 ? 'kwam' : 'kwamen'} opnieuw met andere inhoud.`,
    action: 'Vergelijk beide versies en vraag de leverancier van de kassa naar de oorzaak.',
  }),
  refusals: ({ till, calls, lastAt }, x) => ({
    what: `${nlCalls(calls, x)} ${till === null ? 'zonder bekende sleutel' : `van ${till}`} ${calls === 1 ? 'is' : 'zijn'} geweigerd. Laatste aanroep: ${x.time(lastAt)}.`,
    action: 'Lees de reden en corrigeer de kassa. Geweigerde verkopen moeten opnieuw worden verstuurd.',
  }),
};

const deSales = counter('Verkauf', 'Verkäufe');
const deNumbers = counter('Nummer', 'Nummern');
const deCalls = counter('Aufruf', 'Aufrufe');
const DE: Words = {
  store_full: ({ since }, x) => ({
    what: `Die Festplatte ist voll. Seit ${x.time(since)} wurde kein Verkauf angenommen; bestätigte Verkäufe sind sicher.`,
    action: 'Auf der Festplatte Platz schaffen. Danach arbeitet das Gateway automatisch weiter.',
  }),
  store_unavailable: ({ since }, x) => ({
    what: `Die Festplatte lässt sich nicht beschreiben. Seit ${x.time(since)} wurde kein Verkauf angenommen; bestätigte Verkäufe sind sicher.`,
    action: 'Die Festplatte prüfen. Danach arbeitet das Gateway automatisch weiter.',
  }),
  records_damaged: ({ records }, x) => ({
    what: `${counter('Beleg', 'Belege')(records, x)} auf der Festplatte ${records === 1 ? 'ist' : 'sind'} beschädigt.`,
    action: 'Die Daten auf eine neue Festplatte kopieren und die Belege in einer früheren Sicherung suchen.',
  }),
  wal_damaged: ({ foundAt, hasLostSales }, x) => ({
    what: hasLostSales
      ? `Das Protokoll der letzten Verkäufe war beim Start am ${x.time(foundAt)} beschädigt. Bestätigte Verkäufe können fehlen.`
      : `Das Protokoll der letzten Verkäufe war beim Start am ${x.time(foundAt)} beschädigt und wurde repariert.`,
    action: hasLostSales
      ? 'Die letzten Tage mit den Kassen vergleichen und die Festplatte ersetzen.'
      : 'Die Festplatte prüfen.',
  }),
  index_damaged: ({ foundAt }, x) => ({
    what: `Ein Index der Datenbank ist seit ${x.time(foundAt)} beschädigt. Ein wiederholter Verkauf kann doppelt zählen.`,
    action:
      'Das Gateway neu starten; es stellt den Index wieder her. Danach die Daten prüfen und die Festplatte ersetzen.',
  }),
  clock_wrong: () => ({ what: 'Die Uhr dieses Rechners geht falsch.', action: 'Die Uhr stellen.' }),
  disk_low: ({ freeBytes }, x) => ({
    what: `Die Festplatte ist fast voll: ${x.space(freeBytes)} frei. Kassen können noch verkaufen.`,
    action: 'Heute auf der Festplatte Platz schaffen.',
  }),
  backup_old: ({ lastAt }, x) => ({
    what:
      lastAt === null ? 'Es gibt keine Sicherung der Daten.' : `Die letzte Sicherung ist vom ${x.date(x.day(lastAt))}.`,
    action: 'Eine Sicherung auf einer anderen Festplatte erstellen.',
  }),
  certificate_ends: ({ of, expiresAt, isOver }, x) => ({
    what: `${{ files: 'Das Zertifikat des Geschäfts', own: 'Das Zertifikat des Gateways', authority: 'Die Zertifizierungsstelle des Gateways' }[of]} ${isOver ? 'ist abgelaufen:' : 'läuft ab:'} ${x.date(x.day(expiresAt))}.${isOver ? ' Kassen können sich nicht über HTTPS verbinden.' : ''}`,
    action: {
      files: 'Es durch ein erneuertes Zertifikat ersetzen.',
      own: 'Das Gateway neu starten; es erneuert das Zertifikat.',
      authority: 'Planen, wie jede Kasse einer neuen Stelle vertrauen wird.',
    }[of],
  }),
  upstream_stopped: ({ state, cause, since, waiting, interface: by }, x) => {
    const earlier = by === 'earlier' ? ' der früheren Schnittstelle' : '';
    const left = ` ${deSales(waiting, x)}${earlier} ${waiting === 1 ? 'wartet' : 'warten'}; nichts geht verloren.`;
    if (state === 'paused')
      return {
        what: `Die Weiterleitung ist seit ${x.time(since)} angehalten.${left}`,
        action: 'Die Weiterleitung fortsetzen.',
      };
    if (state === 'line down')
      return {
        what: `Die Verbindung zur Zentrale ist seit ${x.time(since)} unterbrochen.${left}`,
        action: 'Die Internetverbindung prüfen, danach die Zentrale.',
      };
    return {
      what: `Die Zentrale nimmt seit ${x.time(since)} keine Verkäufe an${isKeyRefused(cause) ? ', weil sie unseren Schlüssel ablehnt' : ''}.${left}`,
      action: isKeyRefused(cause) ? 'Einen gültigen Schlüssel eingeben.' : 'Die Adresse der Zentrale prüfen.',
    };
  },
  held: ({ records, interface: by }, x) => ({
    what: `Die Zentrale hat ${deSales(records, x)}${by === 'earlier' ? ' der früheren Schnittstelle' : ''} zurückgewiesen; das Gateway hält sie zurück.`,
    action: 'Den Grund lesen. Dann erneut senden oder beiseitelegen.',
  }),
  day_differs: (fact, x) => ({
    what: `${x.date(fact.date)} weicht ab: ${differencesOf(
      fact,
      {
        missing_upstream: 'nicht in der Zentrale',
        held: 'zurückgehalten',
        set_aside: 'beiseitegelegt',
        missing_here: 'nicht hier',
        twice_upstream: 'doppelt in der Zentrale',
        other_upstream: 'mit anderem Inhalt in der Zentrale',
        declared_more: 'gemeldet, aber nicht hier',
        declared_less: 'hier, aber nicht gemeldet',
        amount_more: 'der gemeldete Betrag ist höher als die Summe hier',
        amount_less: 'der gemeldete Betrag ist niedriger als die Summe hier',
      },
      deSales,
      x,
    )}.`,
    action: 'Den Tag öffnen, die Ursache finden und den Tag abzeichnen.',
  }),
  silent_till: ({ till, since, sureness }, x) => ({
    what: `${till} sendet ${sureness === 'likely' ? 'wahrscheinlich ' : ''}nichts mehr. Letzter Aufruf: ${x.time(since)}.`,
    action: 'Die Kasse und ihr Netzwerkkabel prüfen.',
  }),
  numbers_skipped: ({ date, tills, numbers, sureness }, x) => ({
    what: `${listed(tills)}: ${deNumbers(numbers, x)} ${numbers === 1 ? 'fehlt' : 'fehlen'} ${sureness === 'likely' ? 'wahrscheinlich ' : ''}bis ${x.date(date)}.`,
    action: 'Diese Verkäufe an der Kasse suchen.',
  }),
  conflicts: ({ date, records, tills }, x) => ({
    what: `${listed(tills)}: ${deSales(records, x)} von ${x.date(date)} ${records === 1 ? 'kam' : 'kamen'} erneut mit anderem Inhalt.`,
    action: 'Beide Fassungen vergleichen und den Lieferanten der Kasse nach der Ursache fragen.',
  }),
  refusals: ({ till, calls, lastAt }, x) => ({
    what: `${deCalls(calls, x)} ${till === null ? 'ohne bekannten Schlüssel' : `von ${till}`} ${calls === 1 ? 'wurde' : 'wurden'} abgelehnt. Letzter Aufruf: ${x.time(lastAt)}.`,
    action: 'Den Grund lesen und die Kasse berichtigen. Abgelehnte Verkäufe müssen erneut gesendet werden.',
  }),
};

const WORDS: Readonly<Record<TaskLanguage, Words>> = { en: EN, nl: NL, de: DE };

function isKeyRefused(cause: CauseCode | null): boolean {
  return cause === 'key_refused';
}
