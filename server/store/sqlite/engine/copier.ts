// The copier thread: copies a database to a file in one statement. During the copy, the caller can do other work and watch the
// file grow.

import Database from 'better-sqlite3';

import { answerCalls, threadData } from './thread.ts';

const { path } = threadData<{ readonly path: string }>();
const db = new Database(path, { readonly: true });
db.pragma('trusted_schema = OFF');

const operations = {
  /** Writes a snapshot of the database to an empty file. Leaves out free database pages. */
  copyTo: (file: string): void => void db.prepare('VACUUM INTO ?').run(file),
  close: (): void => void db.close(),
};

export type CopierOperations = typeof operations;

answerCalls(operations);
