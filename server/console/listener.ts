// The console listener: what only this machine reaches. It binds to loopback; a call whose Host is not loopback comes
// from a web page that was pointed here, and is refused.

import { createServer, type Server } from 'node:http';

import express from 'express';

import type { Metrics } from '../metrics.ts';

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** Builds the listener; the caller makes it listen. */
export function openConsoleListener({ metrics }: { metrics: Metrics }): Server {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use((req, res, next) => {
    const [host = '', ...more] = req.headersDistinct['host'] ?? [];
    if (LOOPBACK_HOST.test(host) && more.length === 0) return next();
    res.status(403).type('text/plain').send('The console is only reached from this machine, as http://127.0.0.1.');
  });
  app.get('/metrics', async (_req, res) => {
    res.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  app.use(
    (_req, res) =>
      void res
        .status(404)
        .type('text/plain')
        .send('Nothing is here. This is the port for the console; tills send to the other one.'),
  );
  return createServer({ headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 500 }, app);
}
