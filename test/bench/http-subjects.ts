/**
 * The HTTP servers that the gateway is compared with. All accept the same POST and answer in the same form. Each server runs in
 * its own process. The process gets the server's name and the path of its database as arguments, and sends its port when the
 * server listens.
 */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer } from 'node:net';

import Database from 'better-sqlite3';
import express from 'express';

export type HttpSubject = 'express' | 'express-lean' | 'express-sqlite' | 'node-http' | 'canned';

type Sale = { external_id: string; type: string; timestamp: string };

let received = 0;

/** The answer that the gateway gives for a new record. */
function answerFor(sale: Sale) {
  received += 1;
  return {
    record_id: received,
    external_id: sale.external_id,
    type: sale.type,
    timestamp: sale.timestamp,
    status: 'NEW',
    received_at: new Date().toISOString(),
  };
}

/**
 * An Express server that parses and answers but stores nothing. `isLean` turns off X-Powered-By, and the ETag that Express
 * computes for each answer.
 */
function createExpress(isLean: boolean) {
  const app = express();
  if (isLean) app.disable('etag').disable('x-powered-by');
  app.use(express.json());
  app.post('/v1/raw_transactions', (request, response) => {
    response.status(201).json(answerFor(request.body as Sale));
  });
  return createServer(app);
}

/** An Express server with one synced SQLite transaction per request, on the event loop. */
function createExpressWithSqlite(path: string) {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous is not FULL');
  database.exec(
    'CREATE TABLE record (id INTEGER PRIMARY KEY, external_id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT',
  );
  const insert = database.prepare('INSERT INTO record (external_id, body) VALUES (?, ?)');
  const app = express();
  app.use(express.json());
  app.post('/v1/raw_transactions', (request, response) => {
    const sale = request.body as Sale;
    insert.run(sale.external_id, JSON.stringify(sale)); // outside BEGIN, so each insert is a transaction
    response.status(201).json(answerFor(sale));
  });
  return createServer(app);
}

/** The minimum for HTTP in Node: reads the body, parses it, answers. */
function createBareHttp() {
  const listener: RequestListener = (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const sale = JSON.parse(Buffer.concat(pieces).toString()) as Sale;
      const answer = Buffer.from(JSON.stringify(answerFor(sale)));
      response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
      response.end(answer);
    });
  };
  return createServer(listener);
}

/** Answers every chunk of bytes with one fixed answer, without parsing HTTP. Shows the maximum rate of the generator itself. */
function createCanned() {
  const body = JSON.stringify(answerFor({ external_id: 'canned', type: 'sale', timestamp: '2025-01-01T00:00:00Z' }));
  const answer = `HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return createRawServer({ noDelay: true }, (socket) => {
    socket.on('data', () => socket.write(answer, 'latin1')).on('error', () => socket.destroy());
  });
}

function createSubject(name: HttpSubject, path: string) {
  switch (name) {
    case 'express':
      return createExpress(false);
    case 'express-lean':
      return createExpress(true);
    case 'express-sqlite':
      return createExpressWithSqlite(path);
    case 'node-http':
      return createBareHttp();
    case 'canned':
      return createCanned();
  }
}

const [name, path = 'records.db'] = process.argv.slice(2);
const server = createSubject(name as HttpSubject, path); // the name is valid, because only subjects.ts starts this process
process.once('disconnect', () => process.exit(0)); // the parent process has exited
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
