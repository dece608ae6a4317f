// At least one example of each kind of fact, with its English sentence. Times are in UTC.

import type { TaskFact, TaskKind } from '../../server/contract/todo.ts';

const AT = Date.parse('2026-11-04T16:30Z');

const FORMS = [
  [
    { kind: 'store_full', since: AT },
    'The disk is full. No sale has been accepted since 4 Nov, 16:30; confirmed sales are safe.',
  ],
  [
    { kind: 'store_unavailable', since: AT },
    'The disk cannot be written. No sale has been accepted since 4 Nov, 16:30; confirmed sales are safe.',
  ],
  [{ kind: 'records_damaged', records: 1 }, '1 record on the disk is damaged.'],
  [
    { kind: 'wal_damaged', foundAt: AT, hasLostSales: true },
    'The log of the last sales was damaged at the start on 4 Nov, 16:30. Confirmed sales may be missing.',
  ],
  [
    { kind: 'index_damaged', foundAt: AT },
    'An index of the database has been damaged since 4 Nov, 16:30. A repeated sale may count twice.',
  ],
  [{ kind: 'clock_wrong' }, 'The clock of this machine is wrong.'],
  [{ kind: 'disk_low', freeBytes: 9e8 }, 'The disk is nearly full: 900 MB free. Tills can still sell.'],
  [
    { kind: 'backup_failed', fault: 'unreachable', folder: '/mnt/share', since: AT },
    'The daily backup has failed since 4 Nov, 16:30: the folder /mnt/share cannot be reached. Tills are not affected.',
  ],
  [
    { kind: 'backup_failed', fault: 'full', folder: '/mnt/share', since: AT },
    'The daily backup has failed since 4 Nov, 16:30: the disk of /mnt/share is full. Tills are not affected.',
  ],
  [
    { kind: 'archive_failed', fault: 'missing', folder: '/mnt/archive', files: 2, records: 9531, since: AT },
    '2 files of the archive have been missing from /mnt/archive since 4 Nov, 16:30. They contain the content of 9,531 old records. Totals and verdicts are not affected.',
  ],
  [
    { kind: 'archive_failed', fault: 'damaged', folder: '/mnt/archive', files: 1, records: 1, since: AT },
    '1 file of the archive in /mnt/archive has been damaged since 4 Nov, 16:30. It contains the content of 1 old record. Totals and verdicts are not affected.',
  ],
  [
    { kind: 'archive_failed', fault: 'unwritten', folder: '/mnt/archive', files: 0, records: 0, since: AT },
    'Old records have not been archived since 4 Nov, 16:30. Nothing is lost: their content is still in the database.',
  ],
  [
    { kind: 'archive_failed', fault: 'full', folder: '/mnt/archive', files: 0, records: 0, since: AT },
    'Old records have not been archived since 4 Nov, 16:30, because the disk has too little free space. Nothing is lost: their content is still in the database.',
  ],
  [{ kind: 'backup_old', lastAt: null }, 'There is no backup of the data.'],
  [{ kind: 'backup_old', lastAt: AT }, 'The last backup is from Wed, 4 Nov 2026.'],
  [
    { kind: 'certificate_ends', of: 'files', expiresAt: AT, isOver: true },
    'The certificate of the shop expired on Wed, 4 Nov 2026. Tills cannot connect by HTTPS.',
  ],
  [
    {
      kind: 'upstream_stopped',
      interface: 'current',
      state: 'refused',
      cause: 'key_refused',
      since: AT,
      waiting: 9531,
    },
    'The upstream has been refusing our sales since 4 Nov, 16:30, because it refuses our key. 9,531 sales wait; nothing is lost.',
  ],
  [
    { kind: 'upstream_stopped', interface: 'earlier', state: 'paused', cause: null, since: AT, waiting: 1 },
    'Forwarding has been paused since 4 Nov, 16:30. 1 sale of the earlier interface waits; nothing is lost.',
  ],
  [
    { kind: 'upstream_stopped', interface: 'earlier', state: 'paused', cause: 'no_upstream', since: AT, waiting: 2 },
    'No upstream is set for the earlier interface. 2 sales of the earlier interface wait; nothing is lost.',
  ],
  [
    { kind: 'upstream_stopped', interface: 'current', state: 'paused', cause: 'no_upstream', since: AT, waiting: 1 },
    'No upstream is set for the current interface. 1 sale waits; nothing is lost.',
  ],
  [{ kind: 'held', interface: 'current', records: 20 }, 'The upstream rejected 20 sales, which the gateway holds.'],
  [
    {
      kind: 'day_differs',
      date: '2026-11-04',
      reasons: [
        { code: 'missing_upstream', count: 2 },
        { code: 'earlier_held', count: 1 },
        { code: 'not_over', count: 0 },
      ],
      missing: ['T1-000411', 'T1-000412', 'T1-000413'],
    },
    'Wed, 4 Nov 2026 differs: 2 sales missing upstream, 1 sale held.',
  ],
  [
    { kind: 'silent_till', till: 'Till 2', tillId: 2, since: AT, sureness: 'likely' },
    'Till 2 has probably stopped sending. Last call: 4 Nov, 16:30.',
  ],
  [
    {
      kind: 'numbers_skipped',
      date: '2026-11-04',
      tills: ['Till 2'],
      numbers: 2,
      ranges: [['T2-000412', 'T2-000413']],
      sureness: 'almost certain',
    },
    'Till 2: 2 numbers are missing up to Wed, 4 Nov 2026.',
  ],
  [
    { kind: 'conflicts', date: '2026-11-04', from: 1, to: 2, records: 1, tills: ['Till 1', 'Till 2'] },
    'Till 1, Till 2: 1 changed copy of a sale of Wed, 4 Nov 2026 arrived.',
  ],
  [
    { kind: 'refusals', code: 'key_unknown', till: null, calls: 3, lastAt: AT },
    '3 calls without a known key were refused. Last call: 4 Nov, 16:30.',
  ],
] as const satisfies readonly (readonly [fact: TaskFact, said: string])[];

/** A type error here means that a kind of fact has no example. */
export const TASK_FACTS: TaskKind extends (typeof FORMS)[number][0]['kind']
  ? readonly (readonly [fact: TaskFact, said: string])[]
  : never = FORMS;
