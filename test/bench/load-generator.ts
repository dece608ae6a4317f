/**
 * Makes the load: raw sockets with one request in flight per connection. Each request costs as little as possible, because the
 * generator shares the machine with the subject. Runs in its own process, which receives one job and returns one report. Each
 * protocol has a file that defines its requests. Counting, timing and stopping are the same for all subjects.
 */
import { connect, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import { createBakerySource } from './bakery-records.ts';
import { createHttpWire } from './http-wire.ts';
import type { LoadJob, LoadReport, Target, Wire } from './load.ts';
import { readCpuSeconds, readMachineCpuSeconds } from './machine.ts';
import { createPostgresWire } from './postgres.ts';
import { createRecordSource } from './records.ts';
import { createRedisWire } from './redis.ts';

const drainSeconds = 5;
const longestMicroseconds = 120_000_000;

async function run(job: LoadJob): Promise<LoadReport> {
  const wire = createWire(job.target);
  const nextRecord = job.records === 'bakery' ? await createBakerySource() : createRecordSource(job.records);
  const latencies = createHistogram({ lowest: 1, highest: longestMicroseconds, figures: 3 });
  const errors = new Map<string, number>();
  const finished = Promise.withResolvers<void>();
  let unsent = job.until.kind === 'count' ? job.until.count : Number.POSITIVE_INFINITY;
  let answered = 0;
  let inFlight = 0;

  const sockets = new Set<Socket>();

  const countError = (reason: string) => errors.set(reason, (errors.get(reason) ?? 0) + 1);
  const finishIfDone = () => {
    if (sockets.size === 0 || (unsent <= 0 && inFlight === 0)) finished.resolve();
  };

  /** Opens one connection. Returns the function that starts sending, or undefined if the connection could not be opened. */
  async function open(connection: number): Promise<(() => void) | undefined> {
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
    const buffer = Buffer.allocUnsafe(16_384);
    let scan = wire.greeting === '' ? wire.createScan() : wire.createGreetingScan();
    let isGreeted = wire.greeting === '';
    let isOpen = true;
    let isWaiting = false;
    let sentAt = 0;

    const send = (now: number) => {
      if (unsent <= 0) return finishIfDone();
      if (!isOpen) return;
      unsent -= 1;
      inFlight += 1;
      isWaiting = true;
      sentAt = now;
      socket.write(wire.request(nextRecord(), connection), 'latin1');
    };
    // With a pace, each connection has its own schedule. A late request is sent immediately, but a connection makes up for at
    // most ten late requests.
    const beatMs = job.perSecond === undefined ? 0 : (job.connections * 1000) / job.perSecond;
    let dueAt = 0;
    const sendInTime = (now: number) => {
      if (beatMs === 0) return send(now);
      dueAt = Math.max(dueAt + beatMs, now - 10 * beatMs);
      if (dueAt <= now) send(now);
      else setTimeout(() => send(performance.now()), dueAt - now);
    };
    const start = () => {
      dueAt = performance.now() - beatMs + (beatMs * connection) / job.connections;
      sendInTime(performance.now());
    };
    const receive = (bytes: Buffer) => {
      const outcome = scan(bytes);
      if (outcome === 'partial') return;
      if (!isGreeted) {
        if (outcome !== 'done') return void socket.destroy(new Error(outcome));
        isGreeted = true;
        scan = wire.createScan();
        return resolve(start);
      }
      const now = performance.now();
      inFlight -= 1;
      isWaiting = false;
      if (outcome === 'done') {
        answered += 1;
        latencies.record(Math.max(1, Math.round((now - sentAt) * 1000)));
      } else countError(outcome);
      sendInTime(now);
    };
    let reason = 'connection closed by the subject';
    const fail = () => {
      countError(reason);
      if (isWaiting) inFlight -= 1;
      isOpen = false;
      isWaiting = false;
      sockets.delete(socket);
      finishIfDone();
      resolve(undefined);
    };
    const { host, port } = job.target;
    const callback = (length: number, chunk: Uint8Array) => {
      receive(chunk === buffer ? buffer.subarray(0, length) : Buffer.from(chunk.subarray(0, length)));
      return true;
    };
    const socket: Socket = connect({ host, port, noDelay: true, onread: { buffer, callback } }, () => {
      if (isGreeted) resolve(start);
      else socket.write(wire.greeting, 'latin1');
    });
    sockets.add(socket);
    socket.on('error', (error) => (reason = error.message)).on('close', () => sockets.has(socket) && fail());
    return promise;
  }

  const starts = await Promise.all(Array.from({ length: job.connections }, (_, connection) => open(connection)));
  let window = openWindow(job.watchPid);
  for (const start of starts) start?.();

  if (job.until.kind === 'seconds') {
    await Promise.race([delay(job.until.warmUp * 1000), finished.promise]);
    latencies.reset();
    answered = 0;
    window = openWindow(job.watchPid);
    await Promise.race([delay(job.until.seconds * 1000), finished.promise]);
  } else {
    await Promise.race([delay(job.until.limitSeconds * 1000), finished.promise]);
  }

  const rates = { ...window.close(answered), ...summarise(latencies) };
  unsent = 0;
  if (inFlight > 0 && sockets.size > 0) await Promise.race([finished.promise, delay(drainSeconds * 1000)]);
  if (inFlight > 0) errors.set(`no answer within ${drainSeconds} s`, inFlight);
  for (const socket of sockets) sockets.delete(socket.destroy());
  return { ...rates, errors: Object.fromEntries(errors) };
}

function createWire(target: Target): Wire {
  switch (target.wire) {
    case 'http':
      return createHttpWire(target);
    case 'redis':
      return createRedisWire();
    case 'postgres':
      return createPostgresWire(target.user);
  }
}

/** Notes the clocks at the start of a measurement. `close` returns the rates since then. */
function openWindow(pid: number) {
  const startedAt = performance.now();
  const before = { own: process.cpuUsage(), subject: readCpuSeconds(pid), machine: readMachineCpuSeconds() };
  return {
    close(answered: number) {
      const seconds = (performance.now() - startedAt) / 1000;
      const { user, system } = process.cpuUsage(before.own);
      const own = (user + system) / 1e6;
      const subject = subtract(readCpuSeconds(pid), before.subject);
      const machine = subtract(readMachineCpuSeconds(), before.machine);
      const others = subject === null ? null : subtract(machine, own + subject);
      return {
        answered,
        seconds,
        perSecond: answered / seconds,
        generatorBusy: own / seconds,
        subjectCpu: subject === null || answered === 0 ? null : (subject * 1e6) / answered,
        others: others === null ? null : Math.max(0, others) / seconds / availableParallelism(),
      };
    },
  };
}

function subtract(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

function summarise(latencies: ReturnType<typeof createHistogram>) {
  return {
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    max: latencies.max / 1000,
  };
}

process.once('disconnect', () => process.exit(1)); // the parent process has exited
process.once('message', (job) => {
  // the message comes from our own process, so its type is known
  void run(job as LoadJob).then((report) => process.send?.(report));
});
