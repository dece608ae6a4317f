// The schemas of values that people enter for administrations, tills and users. The console and the file of the command `apply`
// share them.

import { z } from 'zod';

import { STATUSES } from '../../contract/codes.ts';
import { isTimeZone } from '../../store-day.ts';
import {
  isForwardable,
  isHostPart,
  isName,
  isReservedName,
  isResource,
  isVersion,
  NAME_FORM,
  tidyName,
} from './input-rules.ts';

/** A name that a person types. */
export const nameText = z
  .string()
  .transform(tidyName)
  .refine(isName, { error: NAME_FORM, params: { code: 'name' } });

/** The name of a user. */
export const userName = nameText.refine((name) => !isReservedName(name), {
  error: 'is a name that the log of acts uses',
  params: { code: 'reserved' },
});

/** The name of a time zone. */
export const timeZoneText = z.string().refine(isTimeZone, {
  error: 'must be the name of a time zone, such as Europe/Amsterdam',
  params: { code: 'time_zone' },
});

const hostPart = z
  .string()
  .toLowerCase()
  .refine(isHostPart, { error: 'must be 1 to 63 letters, digits and hyphens', params: { code: 'host_part' } });
const version = z.string().refine(isVersion, {
  error: 'must be 1 to 32 letters, digits and . _ - other than c, . and ..',
  params: { code: 'version' },
});
const resource = z.strictObject({ name: z.string(), idParameter: z.string() }).refine(isResource, {
  error:
    'must have a name and an id parameter of 1 to 64 letters, digits, _ and -; raw_transactions and timestamp are not allowed',
  params: { code: 'resource' },
});
const isUnique = (items: readonly unknown[]): boolean => items.length > 0 && new Set(items).size === items.length;
const unique = { error: 'must have at least one entry, each only once', params: { code: 'unique' } };

/** The settings of an administration other than its name and its store days. Each may be missing. */
export const optionalSettings = {
  customer: z.strictObject({ name: hostPart, id: hostPart }).nullable().exactOptional(),
  versions: z.array(version).max(20).refine(isUnique, unique).exactOptional(),
  resources: z
    .array(resource)
    .max(50)
    .refine((resources) => isUnique(resources.map(({ name }) => name)), unique)
    .exactOptional(),
  forwarded: z
    .array(z.enum(STATUSES))
    .refine(isForwardable, {
      error: 'must include NEW, and every other status at most once',
      params: { code: 'forwarded' },
    })
    .exactOptional(),
  othersSend: z.boolean().exactOptional(),
};
