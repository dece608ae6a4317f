// The OpenAPI 3.1 document of the interfaces for tills. It is made from the schemas that validate calls.

import { z } from 'zod';
import { createDocument } from 'zod-openapi';

import { ERROR_CODES, type ErrorCode, TEST_HOST_PREFIX } from '../contract/codes.ts';
import { DAY_TOTALS_PATH } from './day-totals.ts';
import { RAW_TRANSACTIONS_PATHS } from './raw-transactions.ts';
import {
  dayTotal,
  dayTotalAnswer,
  earlierBody,
  earlierTransaction,
  problem,
  rangeDocument,
  rangeQuery,
  rawTransaction,
  receipt,
} from './schema.ts';

/** Error codes that every call can get as an answer. */
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
/** Error codes that only calls with a record can get. */
const RECORD_CODES: readonly ErrorCode[] = ['forwarding_loop'];
/** Error codes that only calls with a JSON body can get. */
const BODY_CODES: readonly ErrorCode[] = [
  'json_malformed',
  'bulk_unsupported',
  'field_invalid',
  'body_too_large',
  'media_type_unsupported',
  'encoding_unsupported',
];
const QUERY_CODES: readonly ErrorCode[] = ['query_invalid', 'range_invalid', 'cursor_invalid', 'query_busy'];
const EARLIER_CODES: readonly ErrorCode[] = [
  ...RECORD_CODES,
  'end_point_invalid',
  'address_mismatch',
  'prefetch_refused',
  'field_invalid',
];

const PATH_PARAMETERS = {
  customer_name: z.string().meta({ description: 'The name of the company.' }),
  customer_id: z.string().meta({ description: 'The company’s unique id.' }),
  version: z.string().meta({ description: 'A version that is set up for the administration.', examples: ['v1'] }),
  resource: z.string().meta({
    description: 'A resource that is set up for the administration.',
    examples: ['transaction', 'cancellations'],
  }),
};

export type OpenApiDocument = ReturnType<typeof createOpenApi>;

export function createOpenApi() {
  const [path = '', alias = ''] = RAW_TRANSACTIONS_PATHS;
  const current = (suffix: string) => ({
    post: {
      operationId: `postRawTransaction${suffix}`,
      summary: 'Send one record',
      description:
        'The answer comes after the record is on disk. Sending the same record again is safe: the answer is IGNORED. `application/…+json`, `charset=utf8`, `Content-Encoding: identity` and a byte order mark are also accepted. The body is kept byte for byte.',
      requestBody: { required: true, content: { 'application/json': { schema: rawTransaction } } },
      responses: {
        '201': { description: 'NEW: kept and counted.', content: { 'application/json': { schema: receipt } } },
        '200': {
          description: 'IGNORED or ERROR: a duplicate, kept beside the original.',
          content: { 'application/json': { schema: receipt } },
        },
        ...problemResponses([...COMMON_CODES, ...RECORD_CODES, ...BODY_CODES]),
      },
    },
    get: {
      operationId: `getRawTransactions${suffix}`,
      summary: 'Count and list the records of a range',
      description:
        'The range is by the sender’s timestamp in whole seconds, and at most 32 days. Send one query at a time. The count and all pages cover the records that existed at the first page. Unknown parameters are ignored.',
      requestParams: { query: rangeQuery },
      responses: {
        '200': {
          description: 'The count and, with expand=raw_transactions, one page.',
          content: { 'application/json': { schema: rangeDocument } },
        },
        ...problemResponses([...COMMON_CODES, ...QUERY_CODES]),
      },
    },
  });
  const dayTotals = {
    operationId: 'postDayTotal',
    summary: 'Declare the total of a till for a store day',
    description:
      'An extension of this gateway. The shop sees whether the records here match the declared total, and so does the answer. The newest total of a day and type counts. Sending the same total again is safe.',
    requestBody: { required: true, content: { 'application/json': { schema: dayTotal } } },
    responses: {
      '201': {
        description: 'A new total: kept and in force.',
        content: { 'application/json': { schema: dayTotalAnswer } },
      },
      '200': {
        description: 'The same total was already in force.',
        content: { 'application/json': { schema: dayTotalAnswer } },
      },
      ...problemResponses([...COMMON_CODES, ...BODY_CODES, 'query_busy']),
    },
  };
  const earlier = (suffix: string, addressParameters: readonly (keyof typeof PATH_PARAMETERS)[]) => {
    const names = [...addressParameters, 'version', 'resource'] as const;
    const path = z.object(Object.fromEntries(names.map((name) => [name, PATH_PARAMETERS[name]])));
    const security = [{ bearer: [] }];
    const taken = {
      '200': {
        description: 'Kept, with any status: NEW, IGNORED or ERROR.',
        content: { 'application/json': { schema: receipt } },
      },
    };
    return {
      get: {
        operationId: `getEarlier${suffix}`,
        summary: 'Send one record in the query string (earlier interface)',
        description:
          'This GET stores a record. It needs an access token, and is never answered from a cache. HEAD, OPTIONS and a prefetch store nothing. An empty body or `{}` is ignored; any other body is refused.',
        security,
        requestParams: { path, query: earlierTransaction },
        responses: { ...taken, ...problemResponses([...COMMON_CODES, ...EARLIER_CODES]) },
      },
      post: {
        operationId: `postEarlier${suffix}`,
        summary: 'Send one record as JSON (earlier interface)',
        description:
          'The parameters are in a JSON object, or in its member `data`. Records sent by GET and by POST are compared by value.',
        security,
        requestParams: { path },
        requestBody: { required: true, content: { 'application/json': { schema: earlierBody } } },
        responses: { ...taken, ...problemResponses([...new Set([...COMMON_CODES, ...EARLIER_CODES, ...BODY_CODES])]) },
      },
    };
  };
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
    paths: {
      [path]: current(''),
      [alias]: current('Alias'),
      [DAY_TOTALS_PATH]: { post: dayTotals },
      '/{version}/{resource}': earlier('', []),
      '/c/{customer_name}/{customer_id}/{version}/{resource}': earlier('AtCustomer', ['customer_name', 'customer_id']),
      [`/c/${TEST_HOST_PREFIX}/{customer_name}/{customer_id}/{version}/{resource}`]: earlier('AtTestCustomer', [
        'customer_name',
        'customer_id',
      ]),
    },
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'token',
          description: 'A key that begins with prod_ or test_; it decides the mode.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same keys, as access tokens of the earlier interface.',
        },
      },
    },
  });
}

/** Makes one response for each HTTP status. It lists all error codes with this status. */
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
