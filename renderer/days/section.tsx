// A part of what is told about a day, under its title.

import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

import classes from './days.module.css';

export function Section({
  name,
  title = name,
  id,
  gap = 'xs',
  children,
}: {
  readonly name: string;
  /** What stands over it, where that is more than its name. */
  readonly title?: string;
  /** Where a link leads to it. */
  readonly id?: string;
  readonly gap?: 'xs' | 4;
  readonly children: ReactNode;
}) {
  return (
    <Stack gap={gap} component="section" aria-label={name} id={id} className={classes.below ?? ''}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
