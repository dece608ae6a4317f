// The earlier interface (specification 2.3, 4.3, 4.4, 5.2): one record per call, its parameters in the query string of a
// GET or in the JSON body of a POST. A GET that writes is taken only when it is clearly meant: with an access token, by
// the method itself, and not ahead of need.

import type { IncomingMessage } from 'node:http';

import type { Status } from '../contract.ts';
import { GatewayError } from '../errors.ts';
import { formatInstant, parseFractionalInstant } from '../instant.ts';
import { queryOf, readQuery } from '../query-string.ts';
import type { Administration } from '../store/administration.ts';
import { parametersText } from '../store/content.ts';
import { outlineMembers, readMembers, wholeNumberText } from '../store/exact-json.ts';
import type { EarlierCall } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import { assertAddressed, type EndPoint, parseHost, parsePath } from './address.ts';
import { sendReceipt } from './answer.ts';
import { authenticateBearer } from './authentication.ts';
import { assertJsonBody, type ReadBody } from './body.ts';
import type { Call } from './call.ts';
import { bulk, invalidFields, parseJsonBody } from './json-body.ts';
import { earlierParameters, parameterFault, validate } from './schema.ts';

/** Takes one record: 200 whatever its status, after it is on disk. Returns its status. */
export async function recordEarlierCall(
  call: Call,
  store: Store,
  readBody: ReadBody,
  baseDomain: string,
): Promise<Status> {
  const { req, res } = call;
  const method = writingMethod(req);
  assertEarlier(req);
  const key = authenticateBearer(call, store);
  const administration = store.administrationOf(key);
  assertAddressed(parseHost(hostOf(req), baseDomain), key, administration);
  const { addressee, endPoint } = parsePath(req.url ?? '');
  assertAddressed(addressee, key, administration);
  const { version, resource } = endPoint;
  const idParameter = getIdParameter(endPoint, administration);

  const kept = method === 'GET' ? keepQuery(req) : await keepBody(call, readBody);
  const parameters = method === 'GET' ? readQueryParameters(kept, idParameter) : readBodyParameters(kept, idParameter);
  const { externalId, timestamp } = validateParameters(parameters, idParameter);

  const receivedAt = Date.now();
  // A resource may have no time of its own (specification 2.3 requires none); then it is the time of arrival.
  const soldAt = timestamp === undefined ? Math.floor(receivedAt / 1000) : instantOf(timestamp);
  const outcome = await store.append({
    journalId: key.journalId,
    tillId: key.tillId,
    keyId: key.id,
    earlier: { version, method },
    externalId,
    type: resource,
    soldAt,
    receivedAt,
    body: kept,
  });
  const shown = timestamp ?? `${formatInstant(soldAt)}Z`;
  sendReceipt(res, 200, { type: resource, externalId, timestamp: shown, receivedAt }, outcome);
  return outcome.status;
}

/** Headers in which clients say that they fetch what may never be asked for. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** The method of a call that means to write. Throws 405, or 403 for a prefetch. */
function writingMethod({ method, headers }: IncomingMessage): EarlierCall['method'] {
  if (method !== 'GET' && method !== 'POST') {
    throw new GatewayError('method_not_allowed', {
      detail: 'This path takes GET, POST.',
      headers: { Allow: 'GET, POST' },
    });
  }
  if (PURPOSE_HEADERS.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))) {
    throw new GatewayError('prefetch_refused', { detail: 'Send the call when it is meant, not ahead of need.' });
  }
  return method;
}

/** Tells a sender of the current interface, who has mistaken the path, what is wrong with it rather than with the key. */
function assertEarlier({ headers }: IncomingMessage): void {
  if (headers['token'] === undefined || headers.authorization !== undefined) return;
  throw new GatewayError('end_point_invalid', {
    detail:
      'Records with a token header go to /v1/raw_transactions; this path is of the earlier interface, which takes Authorization: Bearer.',
  });
}

/** An absolute target names the host, whatever the Host header says (RFC 9112, 3.2.2). */
function hostOf({ url = '', headers }: IncomingMessage): string {
  return /^\w+:\/\/([^/?]*)/.exec(url)?.[1] ?? headers.host ?? '';
}

/** The id parameter of an end point. Throws 400, never 404, when the end point is not set up (specification 7). */
function getIdParameter({ version, resource }: EndPoint, { name, versions, resources }: Administration): string {
  const found = resources.find((each) => each.name === resource);
  if (found !== undefined && versions.includes(version)) return found.idParameter;
  const valid = versions.flatMap((each) => resources.map((one) => `/${each}/${one.name}`)).join(', ');
  throw new GatewayError('end_point_invalid', {
    detail: `This end point is not valid. ${name} has ${valid}; counterfoil administrations set changes that.`,
  });
}

/** The query string of a GET, which has no body. */
function keepQuery({ url = '', headers }: IncomingMessage): Buffer {
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    const detail = 'a GET takes its details in the query string; send no body, or use POST';
    throw invalidFields([{ pointer: '', code: 'body', detail }]);
  }
  return Buffer.from(queryOf(url), 'latin1');
}

/** The body of a POST, which has no query string. */
async function keepBody(call: Call, readBody: ReadBody): Promise<Buffer> {
  if (queryOf(call.req.url ?? '') !== '') {
    const detail = 'a POST takes its details in the body; leave the query string out, or use GET';
    throw invalidFields([{ pointer: '', code: 'query', detail }]);
  }
  assertJsonBody(call.req);
  return (call.body = await readBody(call));
}

/** Parameters as a schema looks at them; `pointer` is where they are in the call. */
interface Parameters {
  readonly pointer: string;
  readonly values: unknown;
}

/** What is asked for by name must be there once; others are kept however often they come. */
function readQueryParameters(kept: Buffer, idParameter: string): Parameters {
  const values = new Map<string, string>();
  for (const { name, value } of readQuery(kept.toString('latin1'))) {
    if (name === undefined || value === undefined) {
      const { pointer, code } = parameterFault(name ?? '', 'encoding', '');
      // The detail goes to the log, and what stands in a query string does not, not even a name.
      throw invalidFields([{ pointer, code, detail: 'a parameter is not properly percent-encoded in UTF-8' }]);
    }
    if (values.has(name) && (name === idParameter || name === 'timestamp')) {
      throw invalidFields([parameterFault(name, 'repeated', 'is given more than once')]);
    }
    values.set(name, value);
  }
  return { pointer: '', values: Object.fromEntries(values) };
}

/** Takes the bare object, or one in a member `data`. */
function readBodyParameters(kept: Buffer, idParameter: string): Parameters {
  const { text, value } = parseJsonBody(kept);
  const inner = parametersText(text);
  const members = readMembers(inner);
  if (members === undefined) return { pointer: '', values: value };
  const values = outlineMembers(members);
  if (Object.keys(values).length === 1 && Array.isArray(values['data'])) throw bulk('data');
  // An id may be a whole number; it is a text from here on, as in a query string.
  const id = wholeNumberText(members.get(idParameter));
  return {
    pointer: inner === text ? '' : '/data',
    values: { ...values, ...(id !== undefined && { [idParameter]: id }) },
  };
}

function validateParameters({ pointer, values }: Parameters, idParameter: string) {
  const result = validate(earlierParameters(idParameter), values);
  if (result.kind === 'valid')
    return { externalId: result.value[idParameter] ?? '', timestamp: result.value['timestamp'] };
  throw invalidFields(result.errors.map((error) => ({ ...error, pointer: pointer + error.pointer })));
}

/** Of a text that the schema found to be an instant. */
function instantOf(text: string): number {
  const instant = parseFractionalInstant(text);
  if (instant === undefined) throw new Error('a schema took an instant that is none');
  return instant;
}
