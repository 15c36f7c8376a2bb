import { checkWords } from '@lightbox/contract/selfCheck/words.js';

export const selfCheck = {
  title: 'Self-check',
  run: 'Run now',
  running: 'Checking',
  failed: 'The self-check could not run.',
  none: 'No self-check has run yet.',
  noneText: 'The product checks itself once a day.',
  good: 'Everything is in order.',
  bad_one: '{{count}} check found a fault.',
  bad_other: '{{count}} checks found a fault.',
  at: 'As of {{when}}',
  state: { ok: 'In order', failed: 'Fault', skipped: 'Nothing to check' },
  seen: '{{fact}}: {{value}}',
  milliseconds: '{{value}} ms',
  ...checkWords,
};
