// The texts of tasks in Dutch.

import { counter, differencesOf, isKeyRefused, listed, type Words } from './words.ts';

const nlSales = counter('verkoop', 'verkopen');
const nlNumbers = counter('nummer', 'nummers');
const nlCalls = counter('aanroep', 'aanroepen');
export const NL: Words = {
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
    action:
      'Kopieer de gegevens naar een nieuwe schijf en zoek de bonnen in een eerdere back-up. Zonder back-up kopieert counterfoil salvage de overige.',
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
  archive_failed: ({ fault, folder, files, records, since }, x) => ({
    what:
      fault === 'unwritten' || fault === 'full'
        ? `Oude bonnen worden sinds ${x.time(since)} niet gearchiveerd${fault === 'full' ? ', omdat de schijf te weinig vrije ruimte heeft' : ''}. Er gaat niets verloren: hun inhoud staat nog in de database.`
        : `${counter('archiefbestand', 'archiefbestanden')(files, x)} in ${folder} ${{ missing: files === 1 ? 'ontbreekt' : 'ontbreken', unreadable: files === 1 ? 'is onleesbaar' : 'zijn onleesbaar', damaged: files === 1 ? 'is beschadigd' : 'zijn beschadigd' }[fault]} sinds ${x.time(since)}. ${files === 1 ? 'Het bevat' : 'Ze bevatten'} de inhoud van ${counter('oude bon', 'oude bonnen')(records, x)}. Totalen en oordelen veranderen niet.`,
    action: {
      full: 'Maak ruimte vrij op de schijf. De gateway probeert het vanzelf opnieuw.',
      unwritten: `Controleer de map ${folder} en de schijf. De gateway probeert het vanzelf opnieuw.`,
      missing: 'Zet de bestanden daar terug. In de map met back-ups staan kopieën.',
      unreadable: 'Controleer de schijf van de map.',
      damaged: 'Vervang de bestanden door de kopieën uit de map met back-ups en controleer de schijf.',
    }[fault],
  }),
  backup_failed: ({ fault, folder, since }, x) => ({
    what: `De dagelijkse back-up mislukt sinds ${x.time(since)}: ${{ unreachable: `de map ${folder} is niet bereikbaar`, full: `de schijf van ${folder} is vol`, forbidden: `de gateway mag niet in ${folder} schrijven`, read_only: `de schijf van ${folder} is alleen-lezen`, other: `er ging iets mis in ${folder}` }[fault]}. Kassa’s merken hier niets van.`,
    action:
      fault === 'full'
        ? 'Maak daar ruimte. De gateway probeert het vanzelf opnieuw.'
        : 'Controleer de map. De gateway probeert het vanzelf opnieuw.',
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
    if (cause === 'restored')
      return {
        what: `De gegevens zijn uit een back-up teruggezet en er wordt nog niets doorgestuurd.${left}`,
        action: 'Stop de gateway die de back-up heeft gemaakt. Start daarna het doorsturen.',
      };
    if (cause === 'asking')
      return {
        what: `De gateway vraagt de centrale sinds ${x.time(since)} naar teruggezette verkopen.${left}`,
        action: 'Controleer de verbinding, of hervat het doorsturen om zonder te vragen te sturen.',
      };
    if (cause === 'no_upstream')
      return {
        what: `Voor de ${by === 'earlier' ? 'oudere' : 'huidige'} koppeling is geen centrale ingesteld.${left}`,
        action: 'Stel voor deze koppeling een centrale in.',
      };
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
    what: `De centrale heeft ${nlSales(records, x)}${by === 'earlier' ? ' van de oudere koppeling' : ''} afgewezen; de gateway houdt ${records === 1 ? 'deze' : 'ze'} vast.`,
    action: `Lees de reden. Stuur ${records === 1 ? 'deze' : 'ze'} daarna opnieuw of leg ${records === 1 ? 'deze' : 'ze'} terzijde.`,
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
    what: `${listed(tills)}: ${counter('gewijzigde kopie', 'gewijzigde kopieën')(records, x)} van ${records === 1 ? 'een verkoop' : 'verkopen'} van ${x.date(date)} ontvangen.`,
    action: 'Vergelijk de kopieën met de verkopen en vraag de leverancier van de kassa naar de oorzaak.',
  }),
  refusals: ({ till, calls, lastAt }, x) => ({
    what: `${nlCalls(calls, x)} ${till === null ? 'zonder bekende sleutel' : `van ${till}`} ${calls === 1 ? 'is' : 'zijn'} geweigerd. Laatste aanroep: ${x.time(lastAt)}.`,
    action: 'Lees de reden en corrigeer de kassa. Geweigerde verkopen moeten opnieuw worden verstuurd.',
  }),
};
