// Schemas for the settings of receivers and of the mail server.

import { z } from 'zod';

import {
  ALERT_CHOICES,
  type DestinationRequest,
  MAIL_SECURITY,
  type MailSettings,
  type ReceiverSettings,
} from '../contract/alerts.ts';
import { TASK_LANGUAGES } from '../contract/task-words.ts';
import { isPlain } from '../store/setup/input-rules.ts';

const minutes = z.int().min(0).max(1439);

export const receiverSettings = {
  language: z.enum(TASK_LANGUAGES),
  choice: z.enum(ALERT_CHOICES),
  quiet: z
    .strictObject({ from: minutes, to: minutes })
    .refine(({ from, to }) => from !== to, { error: 'must have different ends', params: { code: 'range' } })
    .nullable(),
  digestAt: minutes.nullable(),
} satisfies Record<keyof Omit<ReceiverSettings, 'name' | 'timeZone'>, z.ZodType>;

export const destinationRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('email'), address: z.string() }),
  z.strictObject({
    kind: z.enum(['webhook', 'slack', 'teams']),
    url: z.string(),
    plainHttp: z.boolean().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('telegram'),
    token: z.string(),
    chat: z.string(),
    url: z.string().exactOptional(),
    plainHttp: z.boolean().exactOptional(),
  }),
]) satisfies z.ZodType<DestinationRequest>;

export const mailSettings = {
  host: z.string().trim(),
  port: z.int().min(1).max(65_535),
  security: z.enum(MAIL_SECURITY),
  user: z
    .string()
    .max(320)
    .refine(isPlain, { error: 'must be printable', params: { code: 'value' } }),
  from: z.string().trim(),
} satisfies Record<keyof MailSettings, z.ZodType>;

export const mailPassword = z
  .string()
  .max(1000)
  .refine(isPlain, { error: 'must be printable', params: { code: 'value' } });
