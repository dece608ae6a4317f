// The texts of tasks in English.

import { counter, differencesOf, isKeyRefused, listed, type Words } from './words.ts';

const enSales = counter('sale', 'sales');
const enCalls = counter('call', 'calls');
const enNumbers = counter('number', 'numbers');
export const EN: Words = {
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
    action:
      'Copy the data to a new disk, and look for the records in an earlier backup. Without one, counterfoil salvage copies the others.',
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
  archive_failed: ({ fault, folder, files, records, since }, x) => ({
    what:
      fault === 'unwritten' || fault === 'full'
        ? `Old records have not been archived since ${x.time(since)}${fault === 'full' ? ', because the disk has too little free space' : ''}. Nothing is lost: their content is still in the database.`
        : `${counter('file', 'files')(files, x)} of the archive ${{ missing: `${files === 1 ? 'has' : 'have'} been missing from ${folder}`, unreadable: `in ${folder} ${files === 1 ? 'has' : 'have'} been unreadable`, damaged: `in ${folder} ${files === 1 ? 'has' : 'have'} been damaged` }[fault]} since ${x.time(since)}. ${files === 1 ? 'It contains' : 'They contain'} the content of ${counter('old record', 'old records')(records, x)}. Totals and verdicts are not affected.`,
    action: {
      full: 'Free space on the disk. The gateway tries again automatically.',
      unwritten: `Check the folder ${folder} and its disk. The gateway tries again automatically.`,
      missing: 'Put the files back there. A backup folder has copies.',
      unreadable: 'Check the disk of the folder.',
      damaged: 'Replace the files with their copies in the backup folder, and check the disk.',
    }[fault],
  }),
  backup_failed: ({ fault, folder, since }, x) => ({
    what: `The daily backup has failed since ${x.time(since)}: ${{ unreachable: `the folder ${folder} cannot be reached`, full: `the disk of ${folder} is full`, forbidden: `the gateway may not write to ${folder}`, read_only: `the disk of ${folder} is read-only`, other: `an error occurred in ${folder}` }[fault]}. Tills are not affected.`,
    action:
      fault === 'full'
        ? 'Free space there. The gateway tries again automatically.'
        : 'Check the folder. The gateway tries again automatically.',
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
    if (cause === 'restored')
      return {
        what: `The data were restored from a backup, and nothing is forwarded yet.${left}`,
        action: 'Stop the gateway that made the backup. Then start forwarding.',
      };
    if (cause === 'asking')
      return {
        what: `The gateway has been asking the upstream for restored sales since ${x.time(since)}.${left}`,
        action: 'Check the connection, or resume forwarding to send without asking.',
      };
    if (cause === 'no_upstream')
      return {
        what: `No upstream is set for the ${by} interface.${left}`,
        action: 'Set an upstream for this interface.',
      };
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
    action: `Read the reason. Then send ${records === 1 ? 'it again, or set it aside' : 'them again, or set them aside'}.`,
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
    what: `${listed(tills)}: ${counter('changed copy', 'changed copies')(records, x)} of ${records === 1 ? 'a sale' : 'sales'} of ${x.date(date)} arrived.`,
    action: 'Compare the copies with the sales, and ask the till’s supplier about the cause.',
  }),
  refusals: ({ till, calls, lastAt }, x) => ({
    what: `${enCalls(calls, x)} ${till === null ? 'without a known key' : `of ${till}`} ${calls === 1 ? 'was' : 'were'} refused. Last call: ${x.time(lastAt)}.`,
    action: 'Read the reason, and correct the till. Refused sales must be sent again.',
  }),
};
