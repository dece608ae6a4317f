// A gateway that can restart on restored data within its process. During the restart, its ports stay open and answer with 503.
// If the restored data cannot be opened, the gateway returns to the previous data.

import type { Config } from './config.ts';
import { type FormerRun, type Gateway, type GatewayRun, type GatewaySurroundings, openGateway } from './gateway.ts';
import { machineClock } from './lib/clock.ts';
import { planReturn } from './store/data-directory.ts';

/** Maximum time that a stop waits for a restart. A large store takes minutes to open. */
const MAX_RESTART_MS = 2000;

/**
 * Opens a gateway as `openGateway` does. After a restart, the members of the result belong to the new run. Calls `onDeath` if neither the restored nor the previous data can be opened.
 */
export async function openRenewableGateway(
  config: Config,
  onDeath: (cause: unknown) => void,
  surroundings: Partial<Omit<GatewaySurroundings, 'restart' | 'former'>> = {},
): Promise<Gateway> {
  const { waitToListen, tell, clock = machineClock } = surroundings;
  let permission: Promise<void> | undefined;
  /** Closes the previous run except its ports. Resolves to a function that closes the ports. */
  let ending: ReturnType<GatewayRun['closeBehindPorts']> | undefined;
  let restarting: Promise<void> | undefined;
  let isClosing = false;
  let run = await open(config);

  function open(settings: Config, former?: FormerRun): Promise<GatewayRun> {
    return openGateway(settings, onDeath, {
      ...surroundings,
      // the app asks a person at most once
      ...(waitToListen !== undefined && { waitToListen: () => (permission ??= waitToListen()) }),
      ...(former !== undefined && { former }),
      restart,
    });
  }

  async function restart(plan: () => Promise<string>, link: string): Promise<void> {
    const before = run;
    await before.pause();
    let asidePath: string;
    try {
      asidePath = await plan();
    } catch (error) {
      before.resume();
      throw error;
    }
    if (isClosing) return; // the next start carries out the plan
    restarting = renew(before, asidePath, link).catch((cause: unknown) => {
      if (isClosing) return;
      tell?.(String(cause), true);
      onDeath(cause);
    });
  }

  async function renew(before: GatewayRun, asidePath: string, link: string): Promise<void> {
    const close = await (ending = before.closeBehindPorts());
    const closePorts = async (): Promise<void> => {
      if (isClosing) throw new Error('the gateway stops'); // so that the new run opens no port
      await close();
    };
    const { port, consolePort } = before;
    const settings = { ...config, port, consolePort }; // port 0 must not become another port
    try {
      run = await open(settings, { closePorts, link, failure: undefined });
    } catch (cause) {
      if (!planReturn(config.dataDir, asidePath, clock.now()) || isClosing) throw cause;
      run = await open(settings, { closePorts, link, failure: String(cause) });
    }
    if (isClosing) await run.close();
  }

  /**
   * Waits until the previous run has closed; its answered sales are then on disk. Waits at most `MAX_RESTART_MS` for the restart.
   * If the restart takes longer, it opens no port, and the next start carries out the plan.
   */
  async function close(): Promise<void> {
    isClosing = true;
    const closePorts = await ending;
    const late = Promise.withResolvers<'unfinished'>();
    const callOff = clock.after(MAX_RESTART_MS, () => late.resolve('unfinished'));
    const isUnfinished = await Promise.race([restarting, late.promise]);
    callOff();
    if (isUnfinished === undefined) await run.close();
    await closePorts?.();
  }

  return {
    get apiUrl() {
      return run.apiUrl;
    },
    get consoleUrl() {
      return run.consoleUrl;
    },
    get localConsoleUrl() {
      return run.localConsoleUrl;
    },
    get network() {
      return run.network;
    },
    get store() {
      return run.store;
    },
    get log() {
      return run.log;
    },
    createLink: () => run.createLink(),
    createLocalLink: () => run.createLocalLink(),
    die: (cause) => run.die(cause),
    close,
  };
}
