// Acts as another program that has the database open. It starts a read, prints a line, and closes the database when its input
// ends.

import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.exec('BEGIN');
db.prepare('SELECT count(*) FROM records').get();
console.log('open');
process.stdin.resume().on('end', () => {
  db.exec('COMMIT');
  db.close();
});
