// The owner of the data directory. The gateway does not follow links of other users, and reports a folder that other users can
// change.

import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { listDirectoryFaults } from '../../../../../server/store/sqlite/files/data-directory.ts';
import { openBareGateway } from '../../../../support/open-gateway.ts';
import { HAS_OTHER_USER, NOBODY, runAsMe, runAsNobody } from '../../../../support/other-user.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

const NOT_RUN = 'not run: needs root';
const SERVE = ['serve', '--port', '0', '--console-port', '0', '--data'];
const COMMANDS = [SERVE, ['keys', 'create', '--administration', 'A', '--mode', 'test', '--label', 'B', '--data']];

/** Makes a link to an existing folder. `owner` is the owner of the link. */
function linkOf(owner: number): { link: string; target: string } {
  const [folder, target] = [temporaryFolder(), temporaryFolder()];
  const link = join(folder, 'data');
  symlinkSync(target, link);
  lchownSync(link, owner, owner);
  return { link, target };
}

describe('a symbolic link', () => {
  test.for(COMMANDS)(
    'of another user instead of the data directory is refused, and nothing is written: %s',
    async (command, { skip }) => {
      if (!HAS_OTHER_USER) return skip(NOT_RUN);
      const { link, target } = linkOf(NOBODY);
      expect(await runAsMe(...command, link)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `counterfoil: ${link} is a symbolic link of the user nobody, who could change where it leads. Name the folder itself with --data. Nothing was changed.\n`,
      });
      expect(readdirSync(target)).toEqual([]);
    },
  );

  test.for(['logs', 'listening.json.new', 'network.json', 'announced-name', 'ca.pem', 'disk.reserve', 'settings.json'])(
    'of another user in the data directory is refused: %s',
    async (name, { skip }) => {
      if (!HAS_OTHER_USER) return skip(NOT_RUN);
      const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
      const target = name === 'logs' ? elsewhere : join(elsewhere, 'precious');
      if (name !== 'logs') writeFileSync(target, '{}');
      const path = join(dataDir, name);
      symlinkSync(target, path);
      lchownSync(path, NOBODY, NOBODY);
      expect(await runAsMe(...SERVE, dataDir)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `counterfoil: ${path} is a symbolic link of the user nobody, who could change where it leads. Delete it, then start again. Nothing was changed.\n`,
      });
      expect(readdirSync(dataDir)).toEqual([name]);
    },
  );

  test('of another user instead of the log file is refused', async ({ skip }) => {
    if (!HAS_OTHER_USER) return skip(NOT_RUN);
    const dataDir = temporaryFolder();
    const [target, link] = [join(temporaryFolder(), 'precious'), join(dataDir, 'logs', 'counterfoil.log')];
    mkdirSync(join(dataDir, 'logs'));
    symlinkSync(target, link);
    lchownSync(link, NOBODY, NOBODY);
    expect((await runAsMe(...SERVE, dataDir)).stderr).toContain(`${link} is a symbolic link of the user nobody`);
    expect(existsSync(target)).toBe(false);
  });

  test('without a target is reported in one sentence', async () => {
    const { link, target } = linkOf(process.getuid?.() ?? 0);
    const nowhere = join(link, '..', 'moved');
    symlinkSync(join(target, 'gone'), nowhere);
    for (const command of COMMANDS)
      expect(await runAsMe(...command, nowhere)).toMatchObject({
        code: 1,
        stderr: `counterfoil: ${nowhere} is a symbolic link to ${join(target, 'gone')}, which does not exist. Make that folder, or name another with --data. Nothing was changed.\n`,
      });
    expect(readdirSync(target)).toEqual([]);
  });

  test("of the gateway's user or of root is followed: a shop may keep its data on another disk", async ({ skip }) => {
    if (!HAS_OTHER_USER) return skip(NOT_RUN);
    for (const [owner, run] of [
      [0, runAsMe],
      [NOBODY, runAsNobody],
      [0, runAsNobody],
    ] as const) {
      const { link, target } = linkOf(owner);
      chmodSync(join(link, '..'), 0o755);
      chownSync(target, run === runAsNobody ? NOBODY : 0, 0);
      symlinkSync(temporaryFolder(), join(target, 'logs'));
      lchownSync(join(target, 'logs'), owner, owner);
      const result = await run(
        'keys',
        'create',
        '--administration',
        'A',
        '--mode',
        'test',
        '--label',
        'B',
        '--data',
        link,
      );
      expect(result.code, result.stderr).toBe(0);
      expect(existsSync(join(target, 'counterfoil.db'))).toBe(true);
    }
  });
});

describe('a data directory', () => {
  const ME = { uid: 1000, gid: 1000 };
  const ROOT = { uid: 0, gid: 0 };
  test.for<[name: string, mode: number, owner: [number, number], me: typeof ME, said: RegExp[]]>([
    ['as the gateway makes it', 0o700, [1000, 1000], ME, []],
    ['that others may read', 0o755, [1000, 1000], ME, []],
    ['that the own group may write to', 0o770, [1000, 1000], ME, []],
    ['as a volume of a container', 0o755, [0, 0], ROOT, []],
    ['of root, for its own group', 0o770, [0, 1000], ME, []],
    ['that another group may write to', 0o770, [1000, 4242], ME, [/^Its group can change .*chmod 700 "/]],
    ['that everybody may write to', 0o777, [1000, 1000], ME, [/^Every user of this machine can change /]],
    ['like /tmp', 0o1777, [0, 0], ME, [/^Every user of this machine can change /]],
    [
      'of another user',
      0o770,
      [NOBODY, 1000],
      ME,
      [/belongs to the user nobody, who can replace its files\. .*sudo chown -R /],
    ],
    [
      'of another user, for root',
      0o700,
      [NOBODY, NOBODY],
      ROOT,
      [/belongs to the user nobody, but root runs the gateway\..*“sudo -u nobody”/],
    ],
  ])('%s', ([, mode, [uid, gid], me, said], { skip }) => {
    if (!HAS_OTHER_USER) return skip(NOT_RUN);
    const dataDir = temporaryFolder();
    chownSync(dataDir, uid, gid);
    chmodSync(dataDir, mode);
    expect(listDirectoryFaults(dataDir, me)).toEqual(said.map((each) => expect.stringMatching(each) as string));
  });

  test('that others can change is reported when the gateway starts, and the gateway runs', async ({ skip }) => {
    if (!HAS_OTHER_USER) return skip(NOT_RUN);
    const told: string[] = [];
    const prepare = async (dataDir: string): Promise<void> => chmodSync(dataDir, 0o777);
    const gateway = await openBareGateway({}, undefined, { prepare, tell: (sentence) => void told.push(sentence) });
    onTestFinished(() => gateway.close());
    expect(told).toEqual([
      `Every user of this machine can change files in ${gateway.dataDir} (mode 0777). Close it to others: chmod 700 "${gateway.dataDir}"`,
    ]);
  });

  test('that the gateway has created has no fault', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    await (await openStore({ dataDir, role: 'gateway' })).close();
    expect(listDirectoryFaults(dataDir)).toEqual([]);
  });
});
