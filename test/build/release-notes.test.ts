// The notes of a release contain only the section of its version. The tag must name the same version.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { findReleaseNotes } from '../../build/release-notes.mjs';

const CHANGELOG = `# Changelog

What is new for the shop.

## Unreleased

### Added

- Not yet.

## 1.3.0-beta.1

- A beta.

## 1.2.3 (2026-11-22)

### Added

- Tills post their sales.

### Fixed

- A fault.

## [1.2.0] - 2026-10-01

- The first.
`;
const find = (version: string, changelog = CHANGELOG): unknown =>
  findReleaseNotes({ tag: `v${version}`, version, changelog });

describe('the notes', () => {
  test.each([
    ['1.2.3', '### Added\n\n- Tills post their sales.\n\n### Fixed\n\n- A fault.'],
    ['1.3.0-beta.1', '- A beta.'],
    ['1.2.0', '- The first.'],
  ])('of %s contain only that version', (version, text) => {
    expect(find(version)).toEqual({ kind: 'notes', text });
    expect(find(version, CHANGELOG.replaceAll('\n', '\r\n'))).toEqual({ kind: 'notes', text });
  });

  test.each([
    ['a version that is missing in the changelog', '1.2.4', CHANGELOG],
    ['a version that is only a prefix of another one', '1.2', CHANGELOG],
    ['a version without any notes', '2.0.0', '## 2.0.0\n\n## 1.0.0\n\n- Old.\n'],
  ])('are refused for %s', (_, version, changelog) => {
    expect(find(version, changelog)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining(`## ${version}`),
    });
  });
});

test.each(['v1.2.4', '1.2.3', 'v1.2.3-beta', ''])('the tag “%s” is refused for version 1.2.3', (tag) => {
  expect(findReleaseNotes({ tag, version: '1.2.3', changelog: CHANGELOG })).toMatchObject({ kind: 'fault' });
});

test('for a wrong tag the script prints no notes, gives the reason and fails', () => {
  const script = join(import.meta.dirname, '../../build/release-notes.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'v999.0.0'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The tag is v999\.0\.0, but package\.json has version /);
});
