// Finds unusual forms in accepted calls. The gateway accepts them because their meaning is clear, but an upstream may reject
// them. An example shows the form with masked values.

import type { UnusualForm } from '../contract/codes.ts';
import { queryOf, readQuery } from '../lib/query-string.ts';
import type { RecordLedger, SeenForm } from '../store/records/ledger.ts';
import type { Call } from './call.ts';
import { maskText, withoutKeys } from './mask.ts';

/** Maximum characters of a usual id. Many systems cannot store a longer one. */
const USUAL_ID_LENGTH = 255;
/** `YYYY-MM-DDTHH:MM:SSZ`. */
const USUAL_INSTANT_LENGTH = 20;
const EXAMPLE_LENGTH = 40;
const USUAL_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
/** Parameter names of this form cannot contain a value, so they are shown unmasked. */
const SHOWN_NAME = /^[A-Za-z_.[\]-]{1,32}$/;

/** The parts of a record that are checked for unusual forms, exactly as the till sent them. */
interface SentRecord {
  readonly externalId: string;
  readonly timestamp: string | undefined;
}

/** Counts the unusual forms of an accepted call. */
export function noteUnusualForms(
  records: Pick<RecordLedger, 'noteUnusualForms'>,
  keyId: number,
  at: number,
  forms: readonly SeenForm[],
): void {
  if (forms.length > 0) records.noteUnusualForms(keyId, at, forms);
}

/** Finds the unusual forms of a record in a body. For a usual record, this costs only five comparisons. */
export function formsOfBody({ req: { headers }, body }: Call, record: SentRecord): readonly SeenForm[] {
  const type = headers['content-type'] ?? '';
  const isUsual =
    (type === 'application/json' || USUAL_TYPE.test(type)) &&
    headers['content-encoding'] === undefined &&
    body?.[0] !== 0xef;
  const forms = formsOfRecord(record);
  if (isUsual) return forms;
  return [
    ...forms,
    ...(USUAL_TYPE.test(type) ? [] : [seen('content_type', shownType(type))]),
    ...(headers['content-encoding'] === undefined ? [] : [seen('content_encoding', headers['content-encoding'])]),
    ...(body?.[0] === 0xef ? [seen('byte_order_mark', 'EF BB BF {')] : []),
  ];
}

/** Finds the unusual forms of a record in a query string. */
export function formsOfGet({ body }: Call, record: SentRecord): readonly SeenForm[] {
  const forms = formsOfRecord(record);
  return body === undefined ? forms : [...forms, seen('get_body', body.length === 0 ? '0 bytes' : '{}')];
}

/** Finds the unusual forms of a query of the current interface. `known` contains the parameter names of that interface. */
export function formsOfQuery({ url }: Call, known: readonly string[]): readonly SeenForm[] {
  const forms: SeenForm[] = [];
  for (const { name = '', value = '' } of readQuery(queryOf(url))) {
    const isBound = name.startsWith('timestamp_');
    if (!known.includes(name)) forms.push(seen('query_unknown', SHOWN_NAME.test(name) ? name : maskText(name)));
    else if (value === '') forms.push(seen('query_empty', `${name}=`));
    else if (isBound && !/^[\d:T-]*Z?$/.test(value)) forms.push(seen('query_bound', maskText(value)));
  }
  // Returns each form at most once per call, because the counter counts calls.
  return [...new Map(forms.map((form) => [form.form, form])).values()];
}

const NONE: readonly SeenForm[] = [];

function formsOfRecord({ externalId, timestamp }: SentRecord): readonly SeenForm[] {
  const isUsualInstant = timestamp === undefined || timestamp.length === USUAL_INSTANT_LENGTH;
  if (isUsualInstant && externalId.length <= USUAL_ID_LENGTH) return NONE;
  const forms: SeenForm[] = [];
  if (!isUsualInstant) {
    if (timestamp.includes('.')) forms.push(seen('timestamp_fraction', maskText(timestamp)));
    if (!timestamp.endsWith('Z')) forms.push(seen('timestamp_offset', maskText(timestamp)));
  }
  const characters = externalId.length <= USUAL_ID_LENGTH ? 0 : [...externalId].length;
  if (characters > USUAL_ID_LENGTH)
    forms.push(seen('long_id', `${maskText(externalId.slice(0, EXAMPLE_LENGTH)).toWellFormed()}… (${characters})`));
  return forms;
}

function seen(form: UnusualForm, example: string): SeenForm {
  return { form, example: withoutKeys(example) };
}

/** The media type and its charset. Leaves out other parameters, because they may hold any text. */
function shownType(type: string): string {
  const [media = ''] = type.split(';');
  const [charset = ''] = /;\s*charset=[\w"-]{1,20}/i.exec(type) ?? [];
  const isMore = type.length > media.length + charset.length;
  return `${media.trim().slice(0, 2 * EXAMPLE_LENGTH)}${charset}${isMore ? '; …' : ''}`;
}
