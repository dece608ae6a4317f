// The schemas of both interfaces (docs/interface.md). They validate requests, and define the types of answers. The OpenAPI
// document is made from them.

import { z } from 'zod';

import { MAX_EXTERNAL_ID, MAX_PAGE_SIZE, STATUSES } from '../contract/codes.ts';
import { MAX_LISTED } from '../contract/days.ts';
import { MAX_CURRENCIES } from '../contract/declared-totals.ts';
import { dayRange, readBound, readInstant } from '../lib/instant.ts';
import { isExternalId, isPlain, isWithin, MAX_TYPE_LENGTH } from '../store/setup/input-rules.ts';

/**
 * Matches a text without control characters. Lists these characters, because JSON Schema patterns may not support Unicode
 * classes.
 */
const WITHOUT_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** A text of 1 to `most` characters (code points), well-formed and without control characters. */
function nameText(most: number, description: string): z.ZodString {
  return z
    .string()
    .refine((text) => isWithin(text, most), {
      error: `must have 1 to ${most} characters`,
      params: { code: 'length' },
      abort: true, // the next rule would read a megabyte
    })
    .refine(isPlain, {
      error: 'must not contain control characters or lone surrogates',
      params: { code: 'characters' },
    })
    .meta({ description, minLength: 1, maxLength: most, pattern: WITHOUT_CONTROLS });
}

const INSTANT = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,30})?';
const ZONE = '(Z|[+-]((0\\d|1[0-3])(:?[0-5]\\d)?|14(:?00)?))';

function instantText(description: string): z.ZodString {
  return z
    .string()
    .refine((text) => readInstant(text) !== undefined, {
      error:
        'must be a real date and time, written YYYY-MM-DDTHH:MM:SSZ; a fraction and an offset up to 14:00 are accepted too',
      params: { code: 'format' },
    })
    .meta({
      description: `${description} Preferably in UTC and whole seconds. A fraction, and an offset instead of Z, are accepted and kept. Comparisons use the exact instant; ranges and counts use the whole second.`,
      format: 'date-time',
      pattern: `^${INSTANT}${ZONE}$`,
      examples: ['2026-11-20T13:04:51Z'],
    });
}

const jsonObject = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be a JSON object',
    params: { code: 'type' },
  })
  .meta({
    description: 'Free-form content chosen by the sender, nested at most 200 deep. Kept byte for byte.',
    override: { type: 'object', additionalProperties: true },
  });

const recordType = nameText(MAX_TYPE_LENGTH, 'Kind of data shared, for example an order, an invoice or a payment.');
const externalId = nameText(MAX_EXTERNAL_ID, 'Unique reference of the transaction. Each id is processed only once.');

export const rawTransaction = z
  .object({
    type: recordType,
    external_id: externalId,
    timestamp: instantText('Time of the object.'),
    object: jsonObject,
  })
  .meta({
    id: 'RawTransaction',
    description: 'Each of these members must appear once. Other members are kept, but not compared.',
  });

const earlierTimestamp = instantText('Time of the transaction; if omitted, the time of arrival.');

/** The parameters of a call on the earlier interface. The administration's settings name the id parameter of each resource. */
export const earlierParameters = z.object({ id: externalId, timestamp: earlierTimestamp.optional() });

/** The resource `transaction` (docs/interface.md#earlier-interface). */
export const earlierTransaction = z
  .looseObject({
    transactionid: z.union([externalId, z.int()]).meta({
      description:
        'Unique identifier of the transaction: a string or a whole number. A setting can name another parameter.',
      override: {
        type: ['string', 'integer'],
        minLength: 1,
        maxLength: MAX_EXTERNAL_ID,
        pattern: WITHOUT_CONTROLS,
      },
    }),
    timestamp: earlierTimestamp.optional(),
    amount: z
      .union([z.number(), z.string()])
      .optional()
      .meta({ description: 'Amount of the transaction; kept as sent.' }),
  })
  .meta({ id: 'EarlierTransaction', description: 'Other parameters are also kept and compared.' });

export const earlierBody = z.union([earlierTransaction, z.strictObject({ data: earlierTransaction })]);

function boundText(description: string, example: string): z.ZodString {
  return z
    .string()
    .refine((text) => readBound(text) !== undefined, {
      error:
        'must be a real date and time, written YYYY-MM-DDTHH:MM:SS with or without Z (UTC); a fraction and an offset are accepted too',
      params: { code: 'format' },
    })
    .meta({
      description: `${description} Without a zone it is UTC; an offset is accepted. A fraction is accepted and rounded up to a whole second.`,
      pattern: `^${INSTANT}${ZONE}?$`,
      examples: [example],
    });
}

const EXPANSIONS = ['none', 'raw_transactions'] as const;

/** The parameters of a query on the current interface. Other parameters are ignored. */
export const rangeQuery = z.object({
  timestamp_gte: boundText('Start of the range, inclusive.', '2026-11-20T00:00:00'),
  timestamp_lt: boundText('End of the range, exclusive; at most 32 days after the start.', '2026-11-21T00:00:00'),
  type: recordType.optional().meta({ description: 'Only records of this type; if omitted or empty, all types.' }),
  expand: z
    .enum(EXPANSIONS)
    .default('none')
    .meta({ description: 'none: only the count. raw_transactions: also the records, page by page.' }),
  limit: z
    .string()
    .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= MAX_PAGE_SIZE, {
      error: `must be a whole number from 1 to ${MAX_PAGE_SIZE}`,
      params: { code: 'range' },
    })
    .default(String(MAX_PAGE_SIZE))
    .meta({
      description: 'Page size.',
      override: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE },
    }),
  cursor: z.string().optional().meta({
    description:
      'next_cursor of the previous page, unchanged; needs expand=raw_transactions. If empty, the first page.',
  }),
});

/** The ids of a declared total. Reports only the first fault, because the list may be long. */
const externalIds = z
  .array(z.unknown())
  .transform((ids, context): string[] => {
    const seen = new Set<string>();
    for (const [index, id] of ids.entries()) {
      const fault = findIdFault(id, seen);
      if (fault !== undefined) {
        context.addIssue({ code: 'custom', path: [index], ...fault });
        return z.NEVER;
      }
      seen.add(id as string);
    }
    return [...seen];
  })
  .meta({
    description: 'The external_ids of these transactions, each once. With them, the answer lists the missing ids.',
    override: { type: 'array', items: z.toJSONSchema(externalId) as object, uniqueItems: true },
  });

function findIdFault(
  id: unknown,
  seen: ReadonlySet<string>,
): { message: string; params: { code: string } } | undefined {
  if (typeof id !== 'string') return { message: 'must be a string', params: { code: 'type' } };
  if (!isExternalId(id)) {
    const message = `must have 1 to ${MAX_EXTERNAL_ID} characters, without control characters and lone surrogates`;
    return { message, params: { code: 'external_id' } };
  }
  return seen.has(id) ? { message: 'is repeated', params: { code: 'repeated' } } : undefined;
}

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be a code of three capital letters' })
  .nullable()
  .meta({ description: 'ISO 4217; null for amounts without a currency.', examples: ['EUR'] });
const declaredAmounts = z
  .array(
    z.strictObject({
      currency: currency.optional(),
      amount: z.union([z.string(), z.number()], { error: 'must be a decimal, such as "-12.50"' }).meta({
        description: 'An exact decimal, as a string or a number. Refunds reduce it.',
        examples: ['1234.50'],
      }),
    }),
  )
  .max(MAX_CURRENCIES, { error: `must have at most ${MAX_CURRENCIES} currencies` })
  .refine((all) => new Set(all.map(({ currency: code = null }) => code)).size === all.length, {
    error: 'must have each currency once',
    params: { code: 'repeated' },
  })
  .meta({ description: 'The total amount of these transactions, per currency.' });

/**
 * The total that a till declares for a store day. Unknown members are refused. Otherwise a misspelled `amounts` would be dropped,
 * and a day that differs would look equal.
 */
export const dayTotal = z
  .strictObject({
    day: z
      .string()
      .refine((text) => dayRange(text) !== undefined, {
        error: 'must be a real date, written YYYY-MM-DD',
        params: { code: 'format' },
      })
      .meta({
        description: 'The store day.',
        format: 'date',
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        examples: ['2026-11-20'],
      }),
    count: z.int({ error: 'must be a whole number, 0 or more' }).min(0, { error: 'must be 0 or more' }).meta({
      description: 'Number of transactions of this day on the till. If external_ids are sent, it must be their number.',
    }),
    type: recordType.optional().meta({ description: 'Only transactions of this type; if omitted, all types.' }),
    external_ids: externalIds.optional(),
    amounts: declaredAmounts.optional(),
  })
  .refine(({ count, external_ids: ids }) => ids === undefined || ids.length === count, {
    path: ['count'],
    error: 'must be the number of external_ids',
    params: { code: 'count' },
  })
  .meta({
    id: 'DayTotal',
    description:
      'The number of transactions that the till declares for a store day, and their amounts. Other members are refused.',
  });

export const dayTotalAnswer = z
  .object({
    day: z.string(),
    type: z.string().nullable().meta({ description: 'null: all types.' }),
    till: z.string().meta({ description: 'The till of the key. The total covers only its transactions.' }),
    count: z.int().nonnegative().meta({ description: 'As sent.' }),
    here: z
      .int()
      .nonnegative()
      .meta({ description: 'Records on the gateway with status NEW, for this day, till and type.' }),
    missing: z
      .array(z.string())
      .optional()
      .meta({
        description: `With external_ids: ids in the request that have no record on the gateway, at most ${MAX_LISTED}.`,
      }),
    undeclared: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'With external_ids: the number of records here that were not declared.' }),
    amounts: z
      .array(
        z.object({
          currency,
          declared: z.string().nullable().meta({ description: 'As sent; null if only other currencies were sent.' }),
          here: z.string().nullable().meta({ description: 'The sum of the records here; null if it is unknown.' }),
          difference: z.string().nullable().meta({ description: 'declared minus here; null if it is unknown.' }),
        }),
      )
      .optional()
      .meta({ description: 'With amounts: one entry per currency, in decimals.' }),
    without_amount: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'With amounts: the number of records here without a readable amount.' }),
  })
  .meta({
    id: 'DayTotalAnswer',
    description:
      'The total agrees if count equals here; with external_ids, missing must be empty, and with amounts, each difference zero.',
  });
export type DayTotalDocument = z.infer<typeof dayTotalAnswer>;

const recordId = z.int().positive();

export const receipt = z
  .object({
    record_id: recordId.meta({ description: 'The number of the stored record.' }),
    external_id: z.string(),
    type: z.string(),
    timestamp: z.string(),
    status: z.enum(STATUSES).meta({
      description:
        'NEW: the first record with this external_id; it counts. IGNORED: a repeat with the same content. ERROR: a repeat with other content; kept, but not processed.',
    }),
    received_at: z.iso.datetime(),
    original_record_id: recordId
      .optional()
      .meta({ description: 'For IGNORED and ERROR: the first record with this external_id, which counts.' }),
    differences: z
      .array(z.string())
      .optional()
      .meta({ description: 'For ERROR: the differences in content, as JSON pointers.' }),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.infer<typeof receipt>;

export const rangeDocument = z
  .object({
    timestamp_gte: z.string().meta({ description: 'As sent.' }),
    timestamp_lt: z.string().meta({ description: 'As sent.' }),
    raw_transaction_count: z
      .int()
      .nonnegative()
      .meta({ description: 'Distinct external_ids received in the range (status NEW).' }),
    limit: z.int().positive(),
    next_cursor: z.string().nullable().meta({ description: 'For the next page; null at the end.' }),
    raw_transactions: z
      .array(
        z.object({
          external_id: z.string(),
          type: z.string(),
          timestamp: z.string().meta({ description: 'UTC, without zone suffix.' }),
        }),
      )
      .optional()
      .meta({ description: 'With expand=raw_transactions, ordered by timestamp.' }),
  })
  .meta({ id: 'RangeAnswer' });
export type RangeDocument = z.infer<typeof rangeDocument>;

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().meta({ description: 'Stable; see the table of error codes.' }),
    errors: z
      .array(
        z.object({
          pointer: z.string().meta({ description: 'JSON pointer into the body, or / and the parameter.' }),
          code: z.string(),
          detail: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });
