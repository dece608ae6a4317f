// The pages /docs and /openapi.json. Both are made from one OpenAPI document, and load nothing from other sites. The document
// is made at the first request, so it does not delay the start.

import type { Express } from 'express';

import { ERROR_CODES, TEST_HOST_PREFIX } from '../contract/codes.ts';
import { DAY_TOTALS_PATH } from './day-totals.ts';
import type { OpenApiDocument } from './openapi.ts';
import { RAW_TRANSACTIONS_PATHS } from './raw-transactions.ts';

export function bindDocumentation(app: Express): void {
  let loaded: Promise<OpenApiDocument> | undefined;
  const load = (): Promise<OpenApiDocument> =>
    (loaded ??= import('./openapi.ts').then(({ createOpenApi }) => createOpenApi()));

  // If the call was refused while the document was loading, sends nothing more.
  app.get('/openapi.json', async (_req, res) => {
    const document = await load();
    if (!res.headersSent) res.json(document);
  });
  app.get('/docs', async (req, res) => {
    const page = renderPage(await load(), req.protocol);
    if (res.headersSent) return;
    res.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    res.type('html').send(page);
  });
}

type Json = Record<string, unknown>;

/** The members of a JSON schema that the page describes. */
interface Limits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
  readonly examples?: readonly string[];
}

function renderPage(document: OpenApiDocument, protocol: string): string {
  const [path = '', ...aliases] = RAW_TRANSACTIONS_PATHS;
  const operationsAt = (each: string): string =>
    Object.entries(document.paths?.[each] ?? {})
      .map(([method, operation]) => renderOperation(method, each, operation as Json))
      .join('\n');
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `<h3 id="${escape(name)}">${escape(name)}</h3>${renderMembers(schema as Json)}`,
  );
  const codes = Object.entries(ERROR_CODES).map(
    ([code, { status, title }]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${escape(title)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterfoil: the interface for tills</title><style>${STYLE}</style></head><body><main>
<h1>The interface for tills</h1>
<p>${escape(document.info.description ?? '')} For programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Every call carries its key, here in a header named <code>token</code>. A key that begins with <code>test_</code> never touches production data.</p>
<pre>curl ${protocol}://<em>gateway</em>${path} \\
  -H 'token: <em>key</em>' -H 'Content-Type: application/json' \\
  -d '${escape(JSON.stringify(SAMPLE))}'</pre>
<p>Other paths of the same: ${aliases.map((alias) => `<code>${alias}</code>`).join(', ')}.</p>
${operationsAt(path)}
${operationsAt(DAY_TOTALS_PATH)}
<pre>curl ${protocol}://<em>gateway</em>${DAY_TOTALS_PATH} \\
  -H 'token: <em>key</em>' -H 'Content-Type: application/json' \\
  -d '${escape(JSON.stringify(SAMPLE_TOTAL))}'</pre>
<h2>The earlier interface</h2>
<p>Some systems use the earlier interface. They send the same kind of record as the parameters of a GET or as the JSON of a POST, with the key as an access token. Records of this interface are kept and counted separately.</p>
<pre>curl -G ${protocol}://<em>gateway</em>/v1/transaction -H 'Authorization: Bearer <em>key</em>' \\
  -d transactionid=T1-000412 -d timestamp=2026-11-20T13:04:51Z -d amount=12.50</pre>
<p>The key alone shows which administration a record belongs to. The address may also name it. Then both must agree. It may be the host name <code>&lt;customer_name&gt;.&lt;customer_id&gt;.&lt;base domain&gt;</code>, with <code>${TEST_HOST_PREFIX}.</code> before it for test, or the path <code>/c/&lt;customer_name&gt;/&lt;customer_id&gt;/&lt;version&gt;/&lt;resource&gt;</code>, with <code>/c/${TEST_HOST_PREFIX}/</code> for test.</p>
${operationsAt('/{version}/{resource}')}
<h2>Shapes</h2>${schemas.join('\n')}
<h2>Refusals</h2>
<p>A refused call is answered with <code>application/problem+json</code>; <code>code</code> never changes, and <code>errors</code> names each fault.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${codes.join('')}</tbody></table>
</main></body></html>`;
}

function renderOperation(method: string, path: string, operation: Json): string {
  const parameters = (operation['parameters'] ?? []) as {
    name: string;
    required?: boolean;
    schema: Json;
    description?: string;
  }[];
  const rows = parameters.map(({ name, required, schema, description }) =>
    row(name, required === true, schema, description),
  );
  const body = contentSchema(operation['requestBody'] as Json | undefined);
  const responses = Object.entries(operation['responses'] as Record<string, Json>).map(
    ([status, response]) =>
      `<tr><td>${status}</td><td>${codeMarks(String(response['description']))}</td><td>${shapeLink(contentSchema(response))}</td></tr>`,
  );
  return `<section><h2><span class="method">${method.toUpperCase()}</span> <code>${escape(path)}</code></h2>
<p><strong>${escape(String(operation['summary']))}.</strong> ${codeMarks(String(operation['description']))}</p>
${body === undefined ? '' : `<p>Body: ${shapeLink(body)}</p>`}
${rows.length === 0 ? '' : memberTable('Parameter', rows)}
<details><summary>Answers</summary><table><thead><tr><th>Status</th><th>Meaning</th><th>Body</th></tr></thead><tbody>${responses.join('')}</tbody></table></details></section>`;
}

function renderMembers(schema: Json): string {
  const required = (schema['required'] ?? []) as string[];
  const rows = Object.entries((schema['properties'] ?? {}) as Record<string, Json>).map(([name, member]) =>
    row(name, required.includes(name), member),
  );
  const description = textOf(schema['description']);
  return `${description === '' ? '' : `<p>${escape(description)}</p>`}${memberTable('Member', rows)}`;
}

function memberTable(kind: string, rows: readonly string[]): string {
  return `<table><thead><tr><th>${kind}</th><th>Type</th><th>Required</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function row(name: string, isRequired: boolean, schema: Json, description = textOf(schema['description'])): string {
  const { minLength, maxLength, minimum, maximum, default: fallback, examples } = schema as Limits;
  const limits = [
    maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters`,
    maximum === undefined || minimum === undefined || minimum < 0 ? '' : `${minimum} to ${maximum}`,
    fallback === undefined ? '' : `default <code>${escape(String(fallback))}</code>`,
    examples?.[0] === undefined ? '' : `such as <code>${escape(examples[0])}</code>`,
  ].filter((limit) => limit !== '');
  const values = (schema['enum'] as string[] | undefined)?.map((value) => `<code>${escape(value)}</code>`).join(', ');
  const type = Array.isArray(schema['type']) ? schema['type'].map(textOf).join(' or ') : textOf(schema['type']);
  const meaning = [escape(description), values ?? '', limits.join(', ')].filter((part) => part !== '').join('<br>');
  return `<tr><td><code>${escape(name)}</code></td><td>${escape(type)}</td><td>${isRequired ? 'yes' : 'no'}</td><td>${meaning}</td></tr>`;
}

function contentSchema(holder: Json | undefined): Json | undefined {
  return Object.values((holder?.['content'] ?? {}) as Record<string, { schema: Json }>)[0]?.schema;
}

/** Returns a link to the shape that a schema refers to. For a union of shapes, the link leads to the first shape. */
function shapeLink(schema: Json | undefined): string {
  const [first] = (schema?.['anyOf'] ?? [schema]) as (Json | undefined)[];
  const name = textOf(first?.['$ref']).split('/').at(-1) ?? '';
  return `<a href="#${escape(name)}">${escape(name)}</a>`;
}

/** Converts text to HTML. A part in backticks becomes `<code>`. */
function codeMarks(text: string): string {
  return escape(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

/** The value if it is a text, otherwise an empty text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const SAMPLE = { type: 'sale', external_id: 'T1-000412', timestamp: '2026-11-20T13:04:51Z', object: { total: 12.5 } };
const SAMPLE_TOTAL = { day: '2026-11-20', count: 1, external_ids: ['T1-000412'] };

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --accent: light-dark(#0f766e, #2dd4bf); }
body { font: 15px/1.55 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; overflow-wrap: anywhere; }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
.method { background: #0f766e; color: #fff; border-radius: 6px; padding: 0.1rem 0.5rem; font-size: 0.8em; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid var(--line); border-radius: 6px; font: 0.92em/1.5 ui-monospace, monospace; }
td:first-child code { white-space: nowrap; }
a { color: var(--accent); } summary { cursor: pointer; } tr:target { background: #0d948833; }`;
