// The texts of tasks in German.

import { counter, differencesOf, isKeyRefused, listed, type Words } from './words.ts';

const deSales = counter('Verkauf', 'Verkäufe');
const deNumbers = counter('Nummer', 'Nummern');
const deCalls = counter('Aufruf', 'Aufrufe');
export const DE: Words = {
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
    action:
      'Die Daten auf eine neue Festplatte kopieren und die Belege in einer früheren Sicherung suchen. Ohne Sicherung kopiert counterfoil salvage die übrigen.',
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
  archive_failed: ({ fault, folder, files, records, since }, x) => ({
    what:
      fault === 'unwritten' || fault === 'full'
        ? `Alte Belege werden seit ${x.time(since)} nicht archiviert${fault === 'full' ? ', weil auf der Festplatte zu wenig Platz frei ist' : ''}. Nichts geht verloren: Ihr Inhalt steht noch in der Datenbank.`
        : `${counter('Archivdatei', 'Archivdateien')(files, x)} in ${folder} ${{ missing: files === 1 ? 'fehlt' : 'fehlen', unreadable: files === 1 ? 'ist unlesbar' : 'sind unlesbar', damaged: files === 1 ? 'ist beschädigt' : 'sind beschädigt' }[fault]} (seit ${x.time(since)}). ${files === 1 ? 'Sie enthält' : 'Sie enthalten'} den Inhalt von ${counter('altem Beleg', 'alten Belegen')(records, x)}. Summen und Ergebnisse ändern sich nicht.`,
    action: {
      full: 'Platz auf der Festplatte schaffen. Das Gateway versucht es automatisch erneut.',
      unwritten: `Den Ordner ${folder} und seine Festplatte prüfen. Das Gateway versucht es automatisch erneut.`,
      missing: 'Die Dateien dort wiederherstellen. Im Ordner der Sicherungen liegen Kopien.',
      unreadable: 'Die Festplatte des Ordners prüfen.',
      damaged: 'Die Dateien durch ihre Kopien aus dem Ordner der Sicherungen ersetzen und die Festplatte prüfen.',
    }[fault],
  }),
  backup_failed: ({ fault, folder, since }, x) => ({
    what: `Die tägliche Sicherung schlägt seit ${x.time(since)} fehl: ${{ unreachable: `Der Ordner ${folder} ist nicht erreichbar`, full: `Die Festplatte von ${folder} ist voll`, forbidden: `Das Gateway darf nicht in ${folder} schreiben`, read_only: `Die Festplatte von ${folder} ist schreibgeschützt`, other: `In ${folder} ist ein Fehler aufgetreten` }[fault]}. Die Kassen sind nicht betroffen.`,
    action:
      fault === 'full'
        ? 'Dort Platz schaffen. Das Gateway versucht es automatisch erneut.'
        : 'Den Ordner prüfen. Das Gateway versucht es automatisch erneut.',
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
    if (cause === 'restored')
      return {
        what: `Die Daten wurden aus einer Sicherung wiederhergestellt, und noch wird nichts weitergeleitet.${left}`,
        action: 'Das Gateway anhalten, das die Sicherung erstellt hat. Danach das Weiterleiten starten.',
      };
    if (cause === 'asking')
      return {
        what: `Das Gateway fragt die Zentrale seit ${x.time(since)} nach wiederhergestellten Verkäufen.${left}`,
        action: 'Die Verbindung prüfen, oder das Weiterleiten fortsetzen, um ohne Nachfrage zu senden.',
      };
    if (cause === 'no_upstream')
      return {
        what: `Für die ${by === 'earlier' ? 'frühere' : 'aktuelle'} Schnittstelle ist keine Zentrale eingestellt.${left}`,
        action: 'Für diese Schnittstelle eine Zentrale einstellen.',
      };
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
    what: `Die Zentrale hat ${deSales(records, x)}${by === 'earlier' ? ' der früheren Schnittstelle' : ''} zurückgewiesen; das Gateway hält ${records === 1 ? 'ihn' : 'sie'} zurück.`,
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
    what: `${listed(tills)}: ${counter('geänderte Kopie', 'geänderte Kopien')(records, x)} ${records === 1 ? 'eines Verkaufs' : 'von Verkäufen'} vom ${x.date(date)} ${records === 1 ? 'ist' : 'sind'} eingegangen.`,
    action: 'Die Kopien mit den Verkäufen vergleichen und den Hersteller der Kasse nach der Ursache fragen.',
  }),
  refusals: ({ till, calls, lastAt }, x) => ({
    what: `${deCalls(calls, x)} ${till === null ? 'ohne bekannten Schlüssel' : `von ${till}`} ${calls === 1 ? 'wurde' : 'wurden'} abgelehnt. Letzter Aufruf: ${x.time(lastAt)}.`,
    action: 'Den Grund lesen und die Kasse berichtigen. Abgelehnte Verkäufe müssen erneut gesendet werden.',
  }),
};
