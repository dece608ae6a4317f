// The OpenAPI 3.1 document of what tills speak, made from the schemas that validate.

import { createDocument } from 'zod-openapi';

import { ERROR_CODES, type ErrorCode } from '../contract.ts';
import { RAW_TRANSACTIONS_PATHS } from './raw-transactions.ts';
import { problem, rangeDocument, rangeQuery, rawTransaction, receipt } from './schema.ts';

/** What any call may be refused with. */
const COMMON_CODES: readonly ErrorCode[] = [
  'request_malformed',
  'key_missing',
  'key_repeated',
  'key_unknown',
  'key_revoked',
  'key_wrong_kind',
  'request_timeout',
  'expectation_unsupported',
  'headers_too_large',
  'internal',
  'store_busy',
  'store_full',
  'store_unavailable',
  'store_damaged',
];
const POST_CODES: readonly ErrorCode[] = [
  ...COMMON_CODES,
  'json_malformed',
  'bulk_unsupported',
  'field_invalid',
  'body_too_large',
  'media_type_unsupported',
  'encoding_unsupported',
];
const GET_CODES: readonly ErrorCode[] = [
  ...COMMON_CODES,
  'query_invalid',
  'range_invalid',
  'cursor_invalid',
  'query_busy',
];

export type OpenApiDocument = ReturnType<typeof createOpenApi>;

export function createOpenApi() {
  const [path = '', alias = ''] = RAW_TRANSACTIONS_PATHS;
  const operations = (suffix: string) => ({
    post: {
      operationId: `postRawTransaction${suffix}`,
      summary: 'Send one record',
      description:
        'Answered after the record is on disk. Sending the same record again is safe: it is answered with IGNORED.',
      requestBody: { required: true, content: { 'application/json': { schema: rawTransaction } } },
      responses: {
        '201': { description: 'NEW: kept, and it counts.', content: { 'application/json': { schema: receipt } } },
        '200': {
          description: 'IGNORED or ERROR: a duplicate, kept beside the original.',
          content: { 'application/json': { schema: receipt } },
        },
        ...problemResponses(POST_CODES),
      },
    },
    get: {
      operationId: `getRawTransactions${suffix}`,
      summary: 'Count and list the records of a range',
      description:
        'By the sender’s timestamp, at most 32 days, one query at a time. All pages and the count describe the records there were at the first page.',
      requestParams: { query: rangeQuery },
      responses: {
        '200': {
          description: 'The count and, with expand=raw_transactions, one page.',
          content: { 'application/json': { schema: rangeDocument } },
        },
        ...problemResponses(GET_CODES),
      },
    },
  });
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Counterfoil',
      version: 'v1',
      description: 'The transaction ingestion interface of this gateway.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: { [path]: operations(''), [alias]: operations('Alias') },
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'token',
          description: 'A key that begins with prod_ or test_; it decides the mode.',
        },
      },
    },
  });
}

/** One response per status, naming the codes that come with it. */
function problemResponses(codes: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      `${status as 400}` as const,
      {
        description: list.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join(' '),
        content: { 'application/problem+json': { schema: problem } },
        ...((status === 503 || status === 429) && {
          headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' as const } } },
        }),
      },
    ]),
  );
}
