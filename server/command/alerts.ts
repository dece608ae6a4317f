// `counterfoil alerts`: sets the receivers of alerts and the mail server, and sends a test alert.

import { type Command, Option } from 'commander';
import type { z } from 'zod';

import { openAlerter, viewReceiver } from '../alert/alerter.ts';
import { findMailFault, readDestination } from '../alert/destination.ts';
import { mailPassword, mailSettings } from '../alert/receiver-input.ts';
import { loadConfig } from '../config.ts';
import {
  ALERT_CHOICES,
  ALERT_KINDS,
  type AlertChoice,
  type AlertKind,
  type DestinationRequest,
  MAIL_SECURITY,
  type MailSettings,
  type QuietHours,
} from '../contract/alerts.ts';
import { ACTORS } from '../contract/codes.ts';
import { TASK_LANGUAGES, type TaskLanguage } from '../contract/task-words.ts';
import { dataDirectory, shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { machineZone } from '../lib/calendar.ts';
import { machineClock } from '../lib/clock.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { clockAt } from '../store-day.ts';
import type { Store } from '../store/store.ts';
import { alertFaultSentence } from './alert-sentences.ts';
import { readGivenKey } from './given-key.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
  parseName,
  printJson,
  printTable,
  quote,
  wholeNumber,
  withCommonOptions,
  withStore,
} from './output.ts';
import { formatTimeOfDay, parseTimeOfDay, parseTimeZone } from './time-of-day.ts';

interface AddOptions extends CommonOptions {
  readonly name: string;
  readonly by: AlertKind;
  readonly to?: string;
  readonly toFile?: string;
  readonly chat?: string;
  readonly plainHttp?: true;
  readonly language: TaskLanguage;
  readonly timeZone?: string;
  readonly tell: AlertChoice;
  readonly quiet?: string;
  readonly digest?: string;
}

interface MailOptions extends CommonOptions {
  readonly host: string;
  readonly port: number;
  readonly security: MailSettings['security'];
  readonly from: string;
  readonly user: string;
  readonly passwordFile?: string;
}

const NAME = ['--name <name>', 'the name of the person or place'] as const;

export function bindAlerts(program: Command): void {
  const alerts = program.command('alerts').description('tell people about tasks, by e-mail or webhook');
  withCommonOptions(
    alerts
      .command('show')
      .description('list the receivers, and the alerts that could not be sent; exits with 1 if there are such alerts'),
  ).action(show);
  withCommonOptions(
    alerts
      .command('add')
      .description('add a receiver')
      .requiredOption(...NAME)
      .addOption(new Option('--by <kind>', 'how the receiver gets alerts').choices(ALERT_KINDS).makeOptionMandatory())
      .option('--to <address>', 'the e-mail address or webhook, or the token of the Telegram bot')
      .option('--to-file <file>', 'a file with that address or token, or - for standard input')
      .option('--chat <chat>', 'the number or @name of the Telegram chat')
      .option('--plain-http', 'allow an address without encryption')
      .addOption(new Option('--language <code>', 'the language of the alerts').choices(TASK_LANGUAGES).default('en'))
      .option('--time-zone <zone>', 'the time zone for times in alerts (default: the zone of this machine)')
      .addOption(
        new Option('--tell <tasks>', 'the tasks for which an alert is sent as soon as they begin')
          .choices(ALERT_CHOICES)
          .default('all'),
      )
      .option('--quiet <hours>', 'send nothing in these hours, such as 22:00-07:00')
      .option('--digest <time>', 'send all open tasks once a day at this time, such as 08:00'),
  ).action(add);
  withCommonOptions(
    alerts
      .command('remove')
      .description('remove a receiver')
      .requiredOption(...NAME),
  ).action(remove);
  withCommonOptions(
    alerts
      .command('test')
      .description('send a test to a receiver; exits with 1 if it fails')
      .requiredOption(...NAME),
  ).action(test);
  withCommonOptions(
    alerts
      .command('mail')
      .description('set the server that sends e-mail; reads the password from a file')
      .requiredOption('--host <name>', 'the mail server')
      .requiredOption('--port <n>', 'the port of the mail server, usually 465 or 587', wholeNumber('--port'))
      .addOption(
        new Option('--security <kind>', 'the encryption: tls from the start, starttls, or none')
          .choices(MAIL_SECURITY)
          .default('starttls'),
      )
      .requiredOption('--from <address>', 'the address that alerts come from')
      .option('--user <name>', 'the name to log in with', '')
      .option('--password-file <file>', 'a file with the password, or - for standard input'),
  ).action(setMail);
}

async function show(options: CommonOptions): Promise<void> {
  const { mail, receivers } = await withStore(options, async ({ alerts }) => ({
    mail: await alerts.mail(),
    receivers: (await alerts.list()).map(viewReceiver),
  }));
  if (receivers.some(({ failing }) => failing !== null)) process.exitCode = 1;
  if (options.json === true) {
    const { password, ...settings } = mail ?? { password: null };
    return printJson({
      mail: mail && { ...settings, hasPassword: password !== null },
      receivers: receivers.map(({ failing, lastSentAt, ...receiver }) => ({
        ...receiver,
        lastSentAt: lastSentAt === null ? null : formatMilliseconds(lastSentAt),
        failing: failing && {
          ...failing,
          since: formatMilliseconds(failing.since),
          nextAt: formatMilliseconds(failing.nextAt),
          sentence: alertFaultSentence(failing, options.data),
        },
      })),
    });
  }
  console.log(inert(mail === null ? 'No mail server is set.' : `Mail server: ${mail.host}:${mail.port}`));
  if (receivers.length === 0)
    return console.log(`Nobody is told about tasks: ${shownCommand(options.data, 'alerts add --help')}`);
  printTable(
    ['name', 'by', 'to', 'tell', 'quiet', 'digest', 'last sent', 'waiting'],
    receivers.map(({ name, kind, shown, choice, quiet, digestAt, lastSentAt, waiting }) => [
      name,
      kind,
      shown,
      choice,
      quiet === null ? '-' : `${formatTimeOfDay(quiet.from)}-${formatTimeOfDay(quiet.to)}`,
      digestAt === null ? '-' : formatTimeOfDay(digestAt),
      formatTime(lastSentAt),
      waiting,
    ]),
  );
  for (const { name, failing } of receivers)
    if (failing !== null)
      console.log(
        inert(`${name}: failing since ${formatTime(failing.since)}. ${alertFaultSentence(failing, options.data)}`),
      );
}

async function add(options: AddOptions): Promise<void> {
  const name = parseName(options.name, '--name');
  const settings = {
    name,
    language: options.language,
    timeZone: options.timeZone === undefined ? machineZone() : parseTimeZone(options.timeZone),
    choice: options.tell,
    quiet: options.quiet === undefined ? null : parseQuiet(options.quiet),
    digestAt: options.digest === undefined ? null : parseTimeOfDay(options.digest, '--digest'),
  };
  const given = await readGivenKey('--to', options.to, options.toFile);
  if (given === undefined) throw new UsageError('--to or --to-file must name the address.');
  const reading = readDestination(requestOf(options, given.key));
  if (reading.kind === 'faulty')
    throw new UsageError(`${reading.field === 'chat' ? '--chat' : given.option} ${reading.detail}.`);
  const { destination, shown } = reading;
  const digestOn = clockAt(Math.floor(Date.now() / 1000), settings.timeZone).date;
  const id = await withStore(options, ({ alerts }) =>
    alerts.add({ settings, destination, shown, digestOn }, ACTORS.commandLine),
  );
  if (id === undefined) throw new OperatorError(`A receiver ${quote(name)} already exists. Remove it first.`);
  const signingKey = destination.kind === 'webhook' ? destination.key : null;
  if (options.json === true) return printJson({ id, name, kind: destination.kind, shown, signingKey });
  console.log(
    inert(
      `${name} is told about tasks by ${destination.kind}. To try it: ${shownCommand(options.data, `alerts test --name ${shellArgument(name)}`)}`,
    ),
  );
  if (signingKey !== null) console.log(`Its alerts are signed with this key, which is not shown again: ${signingKey}`);
}

function requestOf({ by, chat = '', plainHttp: isPlain }: AddOptions, to: string): DestinationRequest {
  const plainHttp = isPlain === true;
  switch (by) {
    case 'email':
      return { kind: by, address: to };
    case 'telegram':
      return { kind: by, token: to, chat };
    case 'webhook':
    case 'slack':
    case 'teams':
      return { kind: by, url: to, plainHttp };
  }
}

async function remove(options: CommonOptions & { readonly name: string }): Promise<void> {
  const name = await withStore(options, async (store) => {
    const { id, settings } = await findReceiver(store, options);
    await store.alerts.remove(id, ACTORS.commandLine);
    return settings.name;
  });
  if (options.json === true) return printJson({ removed: name });
  console.log(inert(`${name} gets no more alerts.`));
}

async function test(options: CommonOptions & { readonly name: string }): Promise<void> {
  const { prepareConnections } = await import('../forward/connection.ts');
  const { prepareSend } = await import('../alert/send.ts');
  const openDispatcher = prepareConnections(loadConfig(dataDirectory(options.data), {}));
  const { name, fault } = await withStore(options, async (store) => {
    const { id, settings } = await findReceiver(store, options);
    const alerter = openAlerter({
      store,
      clock: machineClock,
      send: prepareSend({ openDispatcher, now: Date.now }),
      onChange: () => {},
      onFault: () => {},
    });
    const found = (await alerter.test(id)) ?? null;
    await alerter.close();
    return { name: settings.name, fault: found };
  });
  if (fault !== null) process.exitCode = 1;
  if (options.json === true)
    return printJson({ name, fault: fault && { ...fault, sentence: alertFaultSentence(fault, options.data) } });
  console.log(
    inert(fault === null ? `The test was sent to ${name}.` : `${name}: ${alertFaultSentence(fault, options.data)}`),
  );
}

async function setMail(options: MailOptions): Promise<void> {
  const { host, port, security, from, user } = options;
  const mail = {
    host: host.trim(),
    port: parse(mailSettings.port, port, '--port'),
    security,
    user: parse(mailSettings.user, user, '--user'),
    from: from.trim(),
  };
  const fault = findMailFault(mail);
  if (fault !== undefined) throw new UsageError(`--${fault.field} ${fault.detail}.`);
  const given = await readGivenKey('--password', undefined, options.passwordFile);
  const password = given === undefined ? null : parse(mailPassword, given.key, '--password-file');
  if (user !== '' && password === null) throw new UsageError('--password-file must name a file with the password.');
  if (user === '' && password !== null) throw new UsageError('--user must name the user of the password.');
  await withStore(options, ({ alerts }) => alerts.setMail({ ...mail, password }, ACTORS.commandLine));
  if (options.json === true) return printJson({ ...mail, hasPassword: password !== null });
  console.log(inert(`E-mail is sent by ${mail.host}:${mail.port}, from ${mail.from}.`));
}

async function findReceiver({ alerts }: Store, { name, data }: CommonOptions & { readonly name: string }) {
  const wanted = name.trim().toLowerCase();
  const found = (await alerts.list()).find(({ settings }) => settings.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw new OperatorError(
    `The receiver ${quote(name)} does not exist; ${shownCommand(data, 'alerts show')} lists them.`,
  );
}

/** Parses the value of an option. Throws a UsageError. */
function parse<T>(schema: z.ZodType<T>, value: unknown, option: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${option} ${result.error.issues[0]?.message}.`);
}

function parseQuiet(text: string): QuietHours {
  const [from, to, ...more] = text.split('-').map((time) => parseTimeOfDay(time, '--quiet'));
  if (from === undefined || to === undefined || from === to || more.length > 0)
    throw new UsageError(`--quiet must be two different times, such as 22:00-07:00, not ${quote(text)}.`);
  return { from, to };
}
