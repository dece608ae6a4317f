// `counterfoil check`: reads everything that is kept and says whether it is sound.

import type { Command } from 'commander';

import { GatewayError, OperatorError } from '../errors.ts';
import { type CommonOptions, printJson, withCommonOptions, withStore } from './output.ts';

export function bindCheck(program: Command): void {
  withCommonOptions(
    program
      .command('check')
      .description('verify the database, every record’s SHA-256 and every count; exits 1 if anything is wrong'),
  ).action(check);
}

async function check(options: CommonOptions): Promise<void> {
  const result = await withStore(options, (store) => store.health.check()).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'store_damaged') throw error;
    throw new OperatorError(
      'The database is damaged so badly that it cannot be read to its end. Keep a copy of the data directory as it is, and copy back a sound one if there is any.',
    );
  });
  const { structure, damagedRecords, countFaults, deliveryFaults, records } = result;
  const isSound = structure.length + damagedRecords.length + countFaults.length + deliveryFaults.length === 0;
  if (!isSound) process.exitCode = 1;
  if (options.json === true) return printJson({ ok: isSound, ...result });
  const all = records === 1 ? 'The one record is sound' : `All ${records} records are sound`;
  if (isSound) return console.log(`${all}, and every count is right.`);
  console.log(
    'Something is wrong with the data. Keep a copy of the data directory as it is, and copy back a sound one if there is any.',
  );
  if (damagedRecords.length > 0) console.log(`Records whose bytes have changed: ${damagedRecords.join(', ')}`);
  for (const line of structure) console.log(`The database says: ${line}`);
  for (const { startsAt, width, status, stored, actual } of countFaults) {
    console.log(
      `The count of ${status} from ${new Date(startsAt * 1000).toISOString()} (${width} s) is ${stored}, but there are ${actual}.`,
    );
  }
  for (const { laneId, state, startsAt, stored, actual } of deliveryFaults) {
    const part = startsAt === null ? '' : ` from ${new Date(startsAt * 1000).toISOString()} (900 s)`;
    console.log(`The count of ${state} deliveries on lane ${laneId}${part} is ${stored}, but there are ${actual}.`);
  }
}
