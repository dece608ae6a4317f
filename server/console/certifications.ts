// Routes of certifications: begin a run with a test key, work through its steps, read its report.

import { z } from 'zod';

import {
  type CertificationRequest,
  type CertificationSummary,
  CERTIFY_STEPS,
  type CertifyAct,
} from '../contract/certify.ts';
import { MAX_REASON_LENGTH } from '../contract/codes.ts';
import { readJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertFound, assertNoQuery, nothingHere, readBody, readId } from './request.ts';
import type { Routes } from './rights.ts';

const begin = z.strictObject({ keyId: z.int().positive() }) satisfies z.ZodType<CertificationRequest>;
const step = z.enum(CERTIFY_STEPS);
const UNKNOWN = 'This certification does not exist.';

const reason = z.string().trim().min(1, { error: 'must say why' }).max(MAX_REASON_LENGTH);
const act = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['start', 'fail', 'confirm']), step, attempts: z.int().nonnegative() }),
  z.strictObject({ kind: z.literal('skip'), step, reason }),
  z.strictObject({ kind: z.literal('end') }),
]) satisfies z.ZodType<CertifyAct>;

export function bindCertifications(routes: Routes, { store, certify }: ConsoleParts): void {
  routes.forClerks.get('/api/certifications', async (req, res) => {
    const { journalId } = readJournal(req, store);
    res.json((await certify.list(journalId)) satisfies CertificationSummary[]);
  });

  routes.forClerks.get('/api/certifications/:id', async (req, res) => {
    assertNoQuery(req);
    res.json(assertFound(await certify.get(readId(req)), UNKNOWN));
  });

  routes.forManagers.post('/api/certifications', async (req, res) => {
    assertNoQuery(req);
    const { keyId } = readBody(req, begin);
    const key = (await store.setup.listKeys()).find(({ id }) => id === keyId);
    if (key === undefined) throw nothingHere('This key does not exist.');
    res.status(201).json(await certify.begin(key, sessionOf(res).actor));
  });

  routes.forManagers.post('/api/certifications/:id/acts', async (req, res) => {
    assertNoQuery(req);
    res.json(assertFound(await certify.act(readId(req), readBody(req, act), sessionOf(res).actor), UNKNOWN));
  });
}
