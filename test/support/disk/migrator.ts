// Migrates data on a recorded disk, in its own process. Its arguments: a prepared database, and the path of its copy.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { openDatabase, syncFolder } from '../../../server/store/sqlite/engine/database.ts';
import { migrate } from '../../../server/store/sqlite/migrations.ts';

const [prepared = '', path = ''] = process.argv.slice(2);
writeFileSync(path, readFileSync(prepared), { flush: true });
syncFolder(dirname(path));
const db = openDatabase(path, 'write');
migrate(db);
process.kill(process.pid, 'SIGKILL');
