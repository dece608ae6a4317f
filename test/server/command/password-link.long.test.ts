// `counterfoil users link`: the running gateway makes the link, and the session of the command ends.

import { expect, onTestFinished, test } from 'vitest';

import { bindUsers } from '../../../server/command/users.ts';
import { OperatorError } from '../../../server/errors.ts';
import { missingPassword } from '../../../server/lib/password.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { runCommand } from '../../support/command-run.ts';
import { enter, PASSWORD, signIn, windowOf } from '../../support/console.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const MIA = { name: 'Mia Smit/2', role: 'manager', createdAt: 1 } as const;

async function makeLink({ dataDir }: Pick<TestGateway, 'dataDir'>, name: string): Promise<string> {
  const output = await runCommand(bindUsers, ['users', 'link', '--name', name, '--data', dataDir, '--json']);
  return (JSON.parse(output) as { link: string }).link;
}

test.each([
  ['http', undefined],
  ['https', makeCertificate()],
])(
  'over %s, a user chooses a password at the link, and no session of the command stays',
  async (_scheme, certificate) => {
    const gateway = await openTestGateway({}, certificate);
    onTestFinished(() => gateway.close());
    await gateway.store.people.add({ ...MIA, password: missingPassword() }, 'test');
    const link = await makeLink(gateway, 'mia smit/2');
    const manager = await enter(gateway);
    expect((await manager.get('/api/sessions')).json()).toHaveLength(1);
    const [address, code] = link.split('/#password=');
    expect(address).toBe(gateway.consoleUrl);
    const answer = await windowOf(gateway, undefined).send('POST', '/api/password-link', { code, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect((await (await signIn(gateway, MIA.name)).get('/api/session')).json()).toMatchObject({ role: 'manager' });
  },
);

test('without a running gateway or a user, the command says what to do', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir, role: 'command' });
  await store.people.add({ ...MIA, password: missingPassword() }, 'test');
  await expect(makeLink({ dataDir }, 'Tom')).rejects.toThrow(/The user "Tom" does not exist/);
  const failing = makeLink({ dataDir }, MIA.name);
  await expect(failing).rejects.toBeInstanceOf(OperatorError);
  await expect(failing).rejects.toThrow(/No gateway answers on .*: start it with/);
});
