// The right that each route of the console's API needs. Routes are added only through this module, so every route has a right.

import type { Express, IRouter, RequestHandler } from 'express';

import { assertManager } from './parts.ts';

type Methods = Pick<IRouter, 'get' | 'post' | 'put' | 'patch' | 'delete'>;

export interface Routes {
  /** For clerks and managers: looking, the work of a store day, tasks, and one's own access. */
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
