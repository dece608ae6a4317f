// A section of the day screen, under its title.

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
  /** The text of the heading. By default, the section's name. */
  readonly title?: string;
  /** The target of links to this section. */
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
