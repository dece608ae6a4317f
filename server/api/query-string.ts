// Reads a query string strictly: what is not properly encoded or is given twice is refused, never guessed.

import { GatewayError } from '../errors.ts';
import { parameterFault } from './schema.ts';

/** The parameters of a URL by name. Throws `query_invalid`. */
export function readQueryString(url: string): Record<string, string> {
  const start = url.indexOf('?');
  const parameters = new Map<string, string>();
  if (start === -1) return {};
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue;
    const [name = '', ...rest] = part.split('=');
    const key = decode(name);
    if (parameters.has(key)) throw invalid(key, 'repeated', 'is given more than once');
    parameters.set(key, decode(rest.join('='), key));
  }
  return Object.fromEntries(parameters);
}

function decode(text: string, name = ''): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid(name, 'encoding', `${name === '' ? 'a name ' : ''}is not properly percent-encoded`);
  }
}

function invalid(name: string, code: string, what: string): GatewayError {
  const fault = parameterFault(name, code, what);
  return new GatewayError('query_invalid', { detail: `${fault.detail}.`, errors: [fault] });
}
