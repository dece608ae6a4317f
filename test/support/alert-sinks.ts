// Servers that receive alerts in tests: an SMTP server and an HTTP server. A script decides whether they accept or refuse an
// alert, do not answer, or close the connection.

import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSecureContext, TLSSocket } from 'node:tls';

import { onTestFinished } from 'vitest';

import type { TestCertificate } from './certificate.ts';

/** `login`: refuse the password. `refuse`: reject the message. `hang`: never answer. `drop`: close the connection. */
export type MailScript = 'accept' | 'login' | 'refuse' | 'hang' | 'drop';

export interface MailSink {
  readonly port: number;
  /** The messages that the server accepted, with sender and recipient. */
  readonly mails: { readonly from: string; readonly to: string; readonly data: string }[];
  /** User and password of each login. */
  readonly logins: string[];
  script: MailScript;
}

/** How a mail server encrypts: from the start, or after the command STARTTLS. */
export interface MailEncryption {
  readonly security: 'tls' | 'starttls';
  readonly certificate: TestCertificate;
}

/** A small SMTP server (RFC 5321), closed when the test ends. By default it does not encrypt. */
export async function openMailSink(script: MailScript = 'accept', encryption?: MailEncryption): Promise<MailSink> {
  const sockets = new Set<Socket>();
  const encrypt = (socket: Socket): Socket => {
    const secureContext = createSecureContext(encryption?.certificate);
    return new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {});
  };
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    socket.on('error', () => {});
    if (sink.script === 'drop') return void socket.destroy();
    if (sink.script === 'hang') return;
    const isLater = encryption?.security === 'starttls';
    talk(encryption?.security === 'tls' ? encrypt(socket) : socket, sink, isLater ? encrypt : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sink: MailSink = { port: (server.address() as AddressInfo).port, mails: [], logins: [], script };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return sink;
}

/** Answers the commands on a connection. `encrypt` is given if the server offers STARTTLS. */
function talk(opened: Socket, sink: MailSink, encrypt?: (socket: Socket) => Socket): void {
  let socket = opened;
  let rest = '';
  let envelope = { from: '', to: '' };
  let data: string[] | undefined;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const hear = (line: string): void => {
    if (data !== undefined) {
      if (line !== '.') return void data.push(line.replace(/^\.\./, '.'));
      const whole = data.join('\n');
      data = undefined;
      if (sink.script === 'refuse') return say('554 rejected with a text of the server');
      sink.mails.push({ ...envelope, data: whole });
      return say('250 accepted');
    }
    const [, command = ''] = /^(\w+)/.exec(line) ?? [];
    switch (command.toUpperCase()) {
      case 'EHLO':
        say('250-sink');
        if (encrypt !== undefined) say('250-STARTTLS');
        return say('250 AUTH PLAIN');
      case 'STARTTLS':
        if (encrypt === undefined) return say('502 no');
        say('220 go on');
        socket.removeAllListeners('data');
        socket = encrypt(socket);
        return listen();
      case 'AUTH':
        sink.logins.push(
          Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .split('\0')
            .slice(1)
            .join(' '),
        );
        return say(sink.script === 'login' ? '535 no' : '235 yes');
      case 'MAIL':
        envelope = { ...envelope, from: line.slice(10) };
        return say('250 ok');
      case 'RCPT':
        envelope = { ...envelope, to: line.slice(8) };
        return say('250 ok');
      case 'DATA':
        data = [];
        return say('354 go on');
      case 'QUIT':
        say('221 bye');
        return void socket.end();
      default:
        return say('250 ok');
    }
  };
  const listen = (): void =>
    void socket.on('data', (piece: Buffer) => {
      const lines = (rest + piece.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line);
    });
  say('220 sink');
  listen();
}

export interface HttpSink {
  readonly url: string;
  readonly calls: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** The HTTP status to answer. `hang`: never answer. `drop`: close the connection. */
  script: number | 'hang' | 'drop';
  /** Additional headers of each answer. */
  headers: Record<string, string>;
}

/** An HTTP server, closed when the test ends. */
export async function openHttpSink(): Promise<HttpSink> {
  const server = createHttpServer((req, res) => {
    void text(req).then((body) => {
      sink.calls.push({ path: req.url ?? '', headers: req.headers, body });
      if (sink.script === 'hang') return;
      if (sink.script === 'drop') return void req.socket.destroy();
      res.writeHead(sink.script, sink.headers).end('a text of the server');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sink: HttpSink = { url: `http://127.0.0.1:${port}`, calls: [], script: 200, headers: {} };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return sink;
}
