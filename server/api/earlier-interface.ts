// The earlier interface (docs/interface.md#earlier-interface). A call has one record. Its parameters are in the query string of
// a GET or in the JSON body of a POST. A GET stores a record only if it has an access token and is not a prefetch. A HEAD never
// stores a record.

import type { IncomingMessage } from 'node:http';

import type { FieldError, Status } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import { readTarget } from '../http/target.ts';
import { invalidFields, parameterFault, validate } from '../http/validation.ts';
import { formatInstant, getInstant, readInstant, restorePlus } from '../lib/instant.ts';
import { isOtherMachine } from '../lib/peer.ts';
import { queryOf, readQuery } from '../lib/query-string.ts';
import type { EndPoint } from '../store/outbox/ledger.ts';
import { findParameters, textOfBody } from '../store/records/content.ts';
import { pickMembers, Unread, wholeNumberText } from '../store/records/exact-json.ts';
import type { Administration } from '../store/setup/ledger.ts';
import { assertAddressed, isEndPoint, parseHost, parsePath } from './address.ts';
import { sendReceipt } from './answer.ts';
import { assertStillAdmitted, authenticateBearer } from './authentication.ts';
import { assertBearableLength, assertJsonBody, type ReadBody } from './body.ts';
import type { Call, Intake } from './call.ts';
import { bulk, parseJsonBody } from './json-body.ts';
import { refuseOwn, viaOf } from './loop.ts';
import { earlierParameters } from './schema.ts';
import { formsOfBody, formsOfGet, noteUnusualForms } from './unusual-form.ts';

/** Stores the record of a GET or POST, then answers 200 whatever the record's status. Returns the status. */
export async function recordEarlierCall(
  call: Call,
  { store, via, readBody, trials }: Intake,
  baseDomain: string,
): Promise<Status> {
  const begunAt = trials.monotonic();
  const { req, res } = call;
  refuseOwn(call, via);
  refusePrefetch(req);
  refuseTokenHeader(req);
  const key = authenticateBearer(call, store);
  const administration = store.setup.administrationOf(key);
  const { customer, endPoint } = parsePath(call.url);
  if (!isEndPoint(endPoint)) throw invalidEndPoint(administration); // a wrong path is reported before a wrong Host
  assertAddressed(parseHost(hostOf(call), baseDomain), key, administration);
  assertAddressed(customer, key, administration);
  const idParameter = getIdParameter(endPoint, administration);
  await store.records.waitForRoom(key.id);

  const method = req.method === 'GET' ? 'GET' : 'POST';
  const kept = method === 'GET' ? await keepQuery(call, readBody) : await keepBody(call, readBody);
  assertStillAdmitted(call, store, key, 'earlier');
  const parameters =
    method === 'GET' ? readQueryParameters(kept) : readBodyParameters(kept, [idParameter, 'timestamp']);
  const { id: externalId, timestamp } = validateParameters(parameters, idParameter);

  await via.note(key.journalId, 'earlier', viaOf(call));
  const { version, resource: type } = endPoint;
  const receivedAt = Date.now();
  // The timestamp is optional (docs/interface.md#earlier-interface). The time of arrival replaces it.
  const soldAt = timestamp === undefined ? Math.floor(receivedAt / 1000) : getInstant(timestamp, readInstant).seconds;
  const { id: keyId, journalId, tillId } = key;
  const trial = trials.find(keyId)?.receive({ externalId, soldAt, receivedAt, begunAt, method, body: kept });
  const earlier = { version, method } as const;
  const outcome = await store.records.append({
    journalId,
    tillId,
    keyId,
    earlier,
    externalId,
    type,
    soldAt,
    isTimedElsewhere: timestamp !== undefined && isOtherMachine(req.socket),
    receivedAt,
    body: kept,
  });
  if (trial !== undefined && !(await trial.hold(res, outcome))) return outcome.status;
  const shown = timestamp ?? `${formatInstant(soldAt)}Z`;
  sendReceipt(res, 200, { type, externalId, timestamp: shown, receivedAt }, outcome);
  const formsOf = method === 'GET' ? formsOfGet : formsOfBody;
  noteUnusualForms(store.records, keyId, receivedAt, formsOf(call, { externalId, timestamp }));
  return outcome.status;
}

/** Headers with which browsers announce a prefetch. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

function refusePrefetch({ headers }: IncomingMessage): void {
  if (PURPOSE_HEADERS.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))) {
    throw new GatewayError('prefetch_refused', {
      detail: 'This call is a prefetch. Send it without the prefetch header.',
    });
  }
}

/**
 * Refuses a call that has the token of the current interface. The error says that the path is wrong, because the key may be
 * right.
 */
function refuseTokenHeader({ headers }: IncomingMessage): void {
  if (headers['token'] === undefined || headers.authorization !== undefined) return;
  throw new GatewayError('end_point_invalid', {
    detail:
      'Records with a token header go to /v1/raw_transactions; this path belongs to the earlier interface, which expects Authorization: Bearer.',
  });
}

/** The host of a call; an absolute target overrides the Host header (RFC 9112, 3.2.2). */
function hostOf({ url, req }: Call): string {
  return readTarget(url).host ?? req.headers.host ?? '';
}

/**
 * The name of the id parameter of an end point. Throws 400, never 404, if the end point is not set up
 * (docs/interface.md#earlier-interface).
 */
function getIdParameter({ version, resource }: EndPoint, administration: Administration): string {
  const found = administration.resources.find((each) => each.name === resource);
  if (found !== undefined && administration.versions.includes(version)) return found.idParameter;
  throw invalidEndPoint(administration);
}

function invalidEndPoint({ name, versions, resources }: Administration): GatewayError {
  const valid = versions.flatMap((each) => resources.map((one) => `/${each}/${one.name}`)).join(', ');
  return new GatewayError('end_point_invalid', {
    detail: `This end point is not valid. ${name} has ${valid}. For another version or resource, ask the store.`,
  });
}

/**
 * Returns the query string of a GET. Throws 400 if the GET has a body. A body that is empty or `{}` is allowed, because some
 * clients send one with every call.
 */
async function keepQuery(call: Call, readBody: ReadBody): Promise<Buffer> {
  const { headers } = call.req;
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    assertBearableLength(call.req);
    call.body = await readBody(call);
    if (!saysNothing(textOfBody(call.body))) {
      const detail = 'a GET must have its parameters in the query string; send no body, or use POST';
      throw invalidFields([{ pointer: '', code: 'body', detail }]);
    }
  }
  return Buffer.from(queryOf(call.url), 'latin1');
}

/**
 * Whether a body is empty or an empty object. Trims the body first, because a regular expression that also skips spaces at both
 * ends takes quadratic time.
 */
function saysNothing(body: string): boolean {
  const text = body.trim();
  return text === '' || /^\{\s*\}$/.test(text);
}

/** Reads the body of a POST. Throws 400 if the POST has a query string. */
async function keepBody(call: Call, readBody: ReadBody): Promise<Buffer> {
  if (queryOf(call.url) !== '') {
    const detail = 'a POST must have its parameters in the body; send no query string, or use GET';
    throw invalidFields([{ pointer: '', code: 'query', detail }]);
  }
  assertJsonBody(call.req);
  return (call.body = await readBody(call));
}

/** Parameters by name. `pointer` is the JSON pointer of the object that contains them. */
interface NamedParameters {
  readonly pointer: '' | '/data';
  readonly values: ReadonlyMap<string, unknown>;
  readonly repeatedNames: readonly string[];
}

function readQueryParameters(kept: Buffer): NamedParameters {
  const values = new Map<string, string>();
  const repeatedNames: string[] = [];
  for (const { name, value } of readQuery(kept.toString('latin1'))) {
    if (name === undefined || value === undefined) throw invalidFields([encodingFault(name)]);
    if (values.has(name)) repeatedNames.push(name);
    values.set(name, name === 'timestamp' ? restorePlus(value) : value);
  }
  return { pointer: '', values, repeatedNames };
}

/** The fault of a badly encoded parameter. It contains no text of the query string, because refusals are logged. */
function encodingFault(name: string | undefined): FieldError {
  const { pointer } = parameterFault(name ?? '', '', '');
  return { pointer, code: 'encoding', detail: 'a parameter is not properly percent-encoded in UTF-8' };
}

/** Reads the parameters from the body. The parameters are members of the body, or members of its member `data`. */
function readBodyParameters(kept: Buffer, names: readonly string[]): NamedParameters {
  const { text } = parseJsonBody(kept);
  const { pointer, text: parametersText } = findParameters(text);
  const picked = pickMembers(parametersText, [...names, 'data']);
  if (picked === undefined)
    throw invalidFields([{ pointer: '', code: 'type', detail: 'the body must be a JSON object' }]);
  const data = picked.members.get('data');
  if (picked.size === 1 && data instanceof Unread && data.text.startsWith('[')) throw bulk('data');
  // A whole number becomes text, because a query string has only texts.
  const values = new Map([...picked.members].map(([name, value]) => [name, wholeNumberText(value) ?? value]));
  return { pointer, values, repeatedNames: picked.repeatedNames };
}

/** Throws if a parameter that the gateway reads is repeated. Other parameters may be repeated. */
function validateParameters({ pointer, values, repeatedNames }: NamedParameters, idParameter: string) {
  const repeated = repeatedNames.filter((name) => name === idParameter || name === 'timestamp');
  const given = { id: values.get(idParameter), timestamp: values.get('timestamp') };
  const result = validate(earlierParameters, given, (name) => (name === 'id' ? idParameter : name));
  const errors = [
    ...repeated.map((name) => parameterFault(name, 'repeated', 'is given more than once')),
    ...(result.kind === 'invalid' ? result.errors : []),
  ];
  if (result.kind === 'valid' && errors.length === 0) return result.value;
  throw invalidFields(errors.map((error) => ({ ...error, pointer: pointer + error.pointer })));
}
