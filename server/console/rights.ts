// The right that each route of the console's API needs. Routes are added only through this module, so every route has a right.

import type { Express, IRouter, RequestHandler } from 'express';

import { assertManager } from './parts.ts';

type Methods = Pick<IRouter, 'get' | 'post' | 'put' | 'patch' | 'delete'>;

export interface Routes {
  /**
   * The methods that clerks may also use: routes that read, and routes for the work on store days, for tasks, and for the
   * user's own account.
   */
  readonly forClerks: Methods;
  readonly forManagers: Methods;
}

export function openRoutes(app: Express): Routes {
  const guarded =
    (method: keyof Methods) =>
    (path: string, ...handlers: RequestHandler[]) =>
      app[method](path, onlyManagers, ...handlers);
  const forManagers = {
    get: guarded('get'),
    post: guarded('post'),
    put: guarded('put'),
    patch: guarded('patch'),
    delete: guarded('delete'),
  };
  return { forClerks: app, forManagers: forManagers as Methods };
}

const onlyManagers: RequestHandler = (_req, res, next) => {
  assertManager(res);
  next();
};
