// Values that the gateway must refuse, by type of field or parameter. All test tables use the same member names.

/**
 * Invalid instants for a field. A valid instant is `YYYY-MM-DDTHH:MM:SS`, an optional fraction, then Z or an offset. Without
 * their Z these texts are also invalid bounds of a query.
 */
export const BAD_INSTANTS: readonly (readonly [name: string, instant: string])[] = [
  ['30 February', '2026-02-30T00:00:00Z'],
  ['29 February of no leap year', '2026-02-29T00:00:00Z'],
  ['29 February of a century that is no leap year', '2100-02-29T00:00:00Z'],
  ['31 April', '2026-04-31T00:00:00Z'],
  ['day 0', '2026-01-00T00:00:00Z'],
  ['day 32', '2026-01-32T00:00:00Z'],
  ['month 0', '2026-00-01T00:00:00Z'],
  ['month 13', '2026-13-01T00:00:00Z'],
  ['a leap second', '2026-12-31T23:59:60Z'],
  ['hour 24', '2026-11-20T24:00:00Z'],
  ['minute 60', '2026-11-20T10:60:00Z'],
  ['a lower-case z', '2026-11-20T10:00:00z'],
  ['a lower-case t', '2026-11-20t10:00:00Z'],
  ['a space for the T', '2026-11-20 10:00:00Z'],
  ['a second 61', '2026-11-20T10:00:61Z'],
  ['hour 24 with an offset', '2026-11-20T24:00:00+01:00'],
  ['30 February with a fraction', '2026-02-30T00:00:00.000Z'],
  ['an offset of more than 14 hours', '2026-11-20T10:00:00+14:01'],
  ['an offset of 15 hours', '2026-11-20T10:00:00-15:00'],
  ['an offset of 60 minutes', '2026-11-20T10:00:00+01:60'],
  ['an offset with seconds', '2026-11-20T10:00:00+01:00:00'],
  ['an offset of one digit', '2026-11-20T10:00:00+1'],
  ['an offset and a Z', '2026-11-20T10:00:00+01:00Z'],
  ['a year before 0000 in UTC', '0000-01-01T00:00:00+01:00'],
  ['a year after 9999 in UTC', '9999-12-31T23:59:59-01:00'],
  ['a point without a fraction', '2026-11-20T10:00:00.Z'],
  ['a fraction of 31 digits', '2026-11-20T10:00:00.0000000000000000000000000000001Z'],
  ['a comma fraction', '2026-11-20T10:00:00,5Z'],
  ['a leading space', ' 2026-11-20T10:00:00Z'],
  ['a trailing space', '2026-11-20T10:00:00Z '],
  ['a trailing line feed', '2026-11-20T10:00:00Z\n'],
  ['a date alone', '2026-11-20'],
  ['no seconds', '2026-11-20T10:00Z'],
  ['no separators', '20261120T100000Z'],
  ['a year of five digits', '12026-11-20T10:00:00Z'],
  ['a signed year', '+2026-11-20T10:00:00Z'],
  ['a negative year', '-001-11-20T10:00:00Z'],
  ['one-digit parts', '2026-1-2T3:04:05Z'],
  ['signed parts', '2026-11-+2T10:00:00Z'],
  ['digits that are not ASCII', '２０２６-11-20T10:00:00Z'],
  ['two Zs', '2026-11-20T10:00:0ZZ'],
  ['epoch seconds', '1795168800'],
  ['words', 'yesterday'],
  ['an empty text', ''],
];

/** Invalid names, for a name that may have at most `most` characters. */
export function badTexts(most: number): readonly (readonly [name: string, text: string])[] {
  return [
    ['an empty text', ''],
    ['one character too many', 'a'.repeat(most + 1)],
    ['one astral character too many', '🧾'.repeat(most + 1)],
    ['NUL', 'a\u0000b'],
    ['a line feed', 'a\nb'],
    ['a tab', 'a\tb'],
    ['DEL', 'a\u007fb'],
    ['a C1 control character', 'a\u0085b'],
  ];
}

/** Texts with half a surrogate pair. UTF-8 cannot encode them, so they occur only in JSON bodies, not in queries. */
export const LONE_SURROGATES: readonly (readonly [name: string, text: string])[] = [
  ['a lone high surrogate', 'a\ud83d'],
  ['a lone low surrogate', '\udcffb'],
  ['surrogates the wrong way round', '\udcff\ud83d'],
];

/** Valid texts: 1 to `most` characters, counted as code points. */
export function goodTexts(most: number): readonly (readonly [name: string, text: string])[] {
  return [
    ['one character', 'a'],
    ['as many characters as may be', 'a'.repeat(most)],
    ['as many astral characters as may be', '🧾'.repeat(most)],
    ['spaces', ' '],
    ['markup and quotes', `<b>"'&\\</b>`],
    ['right-to-left and zero-width characters', '\u202eabc\u200b\ufeff'],
    ['a line separator', 'a\u2028b'],
    ['the name of a built-in member', '__proto__'],
    ['combining characters', 'e\u0301'],
  ];
}
