// Another program that has a database open: reads, says so, and closes it when its input ends.

import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.exec('BEGIN');
db.prepare('SELECT count(*) FROM records').get();
console.log('open');
process.stdin.resume().on('end', () => {
  db.exec('COMMIT');
  db.close();
});
