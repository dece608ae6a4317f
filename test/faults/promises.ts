// The promises of Counterfoil, and the tests that try to break each of them. docs/reliability.md has the figures. A rig, which
// has a larger number of cases in the tiers nightly and release, is in this folder. Other tests are beside their source.

export interface Promised {
  readonly id: string;
  readonly promise: string;
  /** Test files, by their path from the root of the repository. */
  readonly tests: readonly string[];
}

export const PROMISES: readonly Promised[] = [
  {
    id: 'R1',
    promise: 'a crash of the process loses or duplicates no acknowledged record',
    tests: ['test/faults/r01-crash.test.ts', 'test/server/store/sqlite/engine/archiver.long.test.ts'],
  },
  {
    id: 'R2',
    promise: 'a power cut loses or duplicates no acknowledged record',
    tests: ['test/faults/r02-power-cut.test.ts'],
  },
  { id: 'R3', promise: 'a 2xx comes only after the sync', tests: ['test/faults/r03-sync-first.test.ts'] },
  { id: 'R4', promise: 'every I/O error is handled', tests: ['test/faults/r04-io-error.test.ts'] },
  { id: 'R5', promise: 'a full disk loses nothing', tests: ['test/faults/r05-full-disk.test.ts'] },
  {
    id: 'R6',
    promise: 'a start never loops or guesses',
    tests: ['test/faults/r06-damaged-start.test.ts', 'test/scenarios/command/failed-start.long.test.ts'],
  },
  {
    id: 'R7',
    promise: 'corruption is detected and recoverable',
    tests: [
      'test/faults/r07-bit-flip.test.ts',
      'test/scenarios/store/damage.long.test.ts',
      'test/server/store/sqlite/integrity/wal-repair.long.test.ts',
      'test/server/store/sqlite/salvage/salvage.long.test.ts',
      'test/server/scrubber.test.ts',
    ],
  },
  { id: 'R8', promise: 'a migration is complete or did not begin', tests: ['test/faults/r08-migration.test.ts'] },
  { id: 'R9', promise: 'each record takes effect once', tests: ['test/faults/r09-effect.test.ts'] },
  {
    id: 'R10',
    promise: 'every record is forwarded in the end',
    tests: ['test/faults/r10-chaos-proxy.test.ts', 'test/faults/r09-effect.test.ts'],
  },
  { id: 'R11', promise: 'a poison record blocks no other record', tests: ['test/faults/r11-poison.test.ts'] },
  { id: 'R12', promise: 'after a long outage, all records are forwarded', tests: ['test/faults/r12-drain.test.ts'] },
  {
    id: 'R13',
    promise: 'a jump of the clock does no harm',
    tests: [
      'test/faults/r09-effect.test.ts',
      'test/scenarios/forward/outage.long.test.ts',
      'test/scenarios/reconcile/wrong-clock.test.ts',
    ],
  },
  {
    id: 'R14',
    promise: 'dedup is exact',
    tests: ['test/faults/r14-dedup.test.ts', 'test/scenarios/api/earlier-dedup.property.test.ts'],
  },
  {
    id: 'R15',
    promise: 'counts and pages are right',
    tests: [
      'test/scenarios/api/paging.property.test.ts',
      'test/scenarios/api/window.property.test.ts',
      'test/scenarios/store/recount.long.test.ts',
      'test/e2e/half-year/replay.long.test.ts',
    ],
  },
  {
    id: 'R16',
    promise: 'a slow disk or processor stops nothing',
    tests: ['test/faults/r16-slow-disk.test.ts', 'test/faults/r16-slow-processor.test.ts'],
  },
  {
    id: 'R17',
    promise: 'it stops cleanly and starts fast',
    tests: ['test/faults/r17-stop.test.ts', 'test/e2e/stop.long.test.ts'],
  },
  { id: 'R18', promise: 'it has no leak', tests: ['test/faults/r18-leak.test.ts'] },
  {
    id: 'R19',
    promise: 'a backup can be restored',
    tests: ['test/server/command/restore.long.test.ts', 'test/server/store/sqlite/files/backup.test.ts'],
  },
  { id: 'S1', promise: 'no input breaks the gateway', tests: ['test/faults/s01-fuzz.test.ts'] },
  {
    id: 'S2',
    promise: 'unusual HTTP has fixed answers',
    tests: ['test/scenarios/api/http-forms.test.ts', 'test/scenarios/api/accepted-forms.test.ts'],
  },
  {
    id: 'S3',
    promise: 'slow and idle clients delay no other client',
    tests: ['test/faults/s03-slow-clients.test.ts', 'test/scenarios/api/connections.long.test.ts'],
  },
  {
    id: 'S4',
    promise: 'a payload bomb is cheap to refuse',
    tests: [
      'test/faults/s04-bombs.test.ts',
      'test/scenarios/api/body-limits.test.ts',
      'test/scenarios/api/field-refusals.test.ts',
    ],
  },
  {
    id: 'S5',
    promise: 'bytes out are the bytes that came in',
    tests: ['test/faults/s05-bytes.test.ts', 'test/scenarios/api/kept-bytes.test.ts'],
  },
  {
    id: 'S6',
    promise: 'a revoked key stops working',
    tests: [
      'test/scenarios/api/connections.long.test.ts',
      'test/scenarios/api/revoked-half-way.test.ts',
      'test/scenarios/api/journals.test.ts',
    ],
  },
  {
    id: 'S7',
    promise: 'secrets do not leak',
    tests: [
      'test/scenarios/api/earlier-secrets.test.ts',
      'test/server/log.test.ts',
      'test/server/forward/echo.test.ts',
      'test/server/store/sqlite/engine/seal.test.ts',
      'test/e2e/forward.long.test.ts',
    ],
  },
  {
    id: 'S8',
    promise: 'others cannot reach the console',
    tests: ['test/server/console/routes.test.ts', 'test/e2e/lan.long.test.ts'],
  },
  {
    id: 'S9',
    promise: 'others cannot lead the gateway to internal hosts',
    tests: ['test/server/forward/address.test.ts', 'test/server/forward/link-local.test.ts'],
  },
  {
    id: 'S10',
    promise: 'an export executes nothing, and a log entry has one line',
    tests: ['test/server/console/csv.test.ts', 'test/server/console/record-export.test.ts', 'test/server/log.test.ts'],
  },
  {
    id: 'S11',
    promise: 'a restored file cannot attack the gateway',
    tests: [
      'test/scenarios/store/hostile-backup.long.test.ts',
      'test/server/store/sqlite/integrity/own-schema.long.test.ts',
      'test/server/store/sqlite/integrity/known-file.long.test.ts',
    ],
  },
  {
    id: 'S12',
    promise: 'the desktop app follows the checklist of Electron',
    tests: ['test/electron/hardening.test.ts', 'test/electron/fuses.test.ts'],
  },
  { id: 'S13', promise: 'a noisy till starves no other till', tests: ['test/faults/s13-noisy-till.test.ts'] },
  {
    id: 'S14',
    promise: 'the parts of others are known and safe',
    tests: ['test/build/check-setup.test.ts', 'test/house/workflows.test.ts'],
  },
];
