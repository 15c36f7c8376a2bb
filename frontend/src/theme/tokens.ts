import { defineSemanticTokens, defineTokens } from '@chakra-ui/react';

// Use `_light` and `_dark`, never `base`: Chakra's defaults use them, and they would override a `base` value.
const c = (light: string, dark = light) => ({ value: { _light: light, _dark: dark } });
const values = <K extends string>(values: Record<K, string>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }])) as Record<K, { value: string }>;

type Shades = [
  solid: string,
  contrast: string,
  fg: string,
  subtle: string,
  onSubtle: string,
  muted: string,
  emphasized: string,
];
const palette = (l: Shades, d: Shades) => ({
  solid: c(l[0], d[0]),
  contrast: c(l[1], d[1]),
  fg: c(l[2], d[2]),
  subtle: c(l[3], d[3]),
  onSubtle: c(l[4], d[4]),
  muted: c(l[5], d[5]),
  emphasized: c(l[6], d[6]),
  border: c(l[2], d[2]),
  focusRing: c('#0B4F86', '#FFD58F'),
});

const accent = palette(
  ['#115C93', '#FFFFFF', '#115C93', '#DCEBF8', '#0C4470', '#C6DFF3', '#9CCBF2'],
  ['#84BFF0', '#05192B', '#92C7F3', '#16324A', '#BFE0FB', '#1E4260', '#2B5C85'],
);
const danger = palette(
  ['#B3231F', '#FFFFFF', '#B3231F', '#FDE9E7', '#8C1613', '#FAD5D2', '#F2ABA6'],
  ['#FF9A91', '#330503', '#FF9A91', '#3C1614', '#FFC4BE', '#50201D', '#7A322D'],
);
const warning = palette(
  ['#F5B13D', '#3A2600', '#8A5200', '#FFF1D6', '#6B3F00', '#FFE5B4', '#F9CE85'],
  ['#FFC566', '#2B1C00', '#FFC566', '#33270F', '#FFDCA0', '#463615', '#6B5221'],
);
const success = palette(
  ['#17684A', '#FFFFFF', '#17684A', '#DFF3E9', '#0E4D36', '#C6E8D7', '#96D2B5'],
  ['#79D6AB', '#03200F', '#79D6AB', '#0F3021', '#A9E8CB', '#17432F', '#256449'],
);
const info = palette(
  ['#4A4FA8', '#FFFFFF', '#4A4FA8', '#E9EAFB', '#35398A', '#D8DAF7', '#B9BDEF'],
  ['#B3B8FA', '#10123A', '#B3B8FA', '#23264F', '#CDD0FF', '#30346A', '#474C94'],
);
const gray = palette(
  ['#0F1E2B', '#FFFFFF', '#0F1E2B', '#EDF2F6', '#3F566B', '#E0E8EF', '#C9D5DF'],
  ['#E9F0F6', '#0D151D', '#E9F0F6', '#1E2C38', '#B7CBDC', '#263644', '#334657'],
);

export const tokens = defineTokens({
  fonts: values({
    // The Urdu font is second: the browser takes each letter from the first font that has it, so Latin letters and
    // digits are in Atkinson.
    body: '"Atkinson Hyperlegible Next Variable", "Noto Nastaliq Urdu Variable", system-ui, sans-serif',
    heading: '"Atkinson Hyperlegible Next Variable", "Noto Nastaliq Urdu Variable", system-ui, sans-serif',
    mono: '"Atkinson Hyperlegible Mono Variable", "Noto Nastaliq Urdu Variable", ui-monospace, monospace',
  }),
  fontSizes: values({
    xs: '0.8125rem',
    sm: '0.875rem',
    md: '1rem',
    lg: '1.1875rem',
    xl: '1.375rem',
    '2xl': '1.75rem',
    '3xl': '2.375rem',
    '4xl': '3.75rem',
  }),
  radii: values({
    film: '4px',
    control: '10px',
    box: '12px',
    card: '14px',
    float: '16px',
    bubble: '17px',
    sheet: '18px',
    panel: '20px',
  }),
  // In pixels, so that the larger type of Urdu does not change the layout.
  spacing: values({ block: '18px' }),
  sizes: values({ touch: '44px' }),
  durations: values({ press: '90ms', fade: '160ms', slide: '240ms', light: '420ms' }),
  easings: values({ settle: 'cubic-bezier(.2,.8,.2,1)' }),
  colors: {
    viewer: values({
      bg: '#04070A',
      bar: '#0C1319',
      panel: '#111A22',
      border: '#26333F',
      control: '#6C8297',
      text: '#E4ECF3',
      muted: '#9DB0C0',
      active: '#84BFF0',
      activeText: '#05192B',
      warn: '#FFC566',
    }),
    film: values({ bg: '#080D12', text: '#E2EAF1', muted: '#93A7B8' }),
  },
});

export const semanticTokens = defineSemanticTokens({
  // The heights of form fields and of controls in bars; larger on small screens, for touch.
  sizes: {
    field: { value: { base: '50px', lg: '44px' } },
    control: { value: { base: '44px', lg: '40px' } },
  },
  radii: values({ l1: '6px', l2: '{radii.control}', l3: '{radii.card}' }),
  shadows: {
    lit: c('0 1px 3px rgb(15 40 62/.10), 0 0 0 1px rgb(15 40 62/.04)', '0 0 0 1px rgb(255 255 255/.05)'),
    panel: c('0 0 0 1px rgb(15 40 62/.05), 0 6px 28px -8px rgb(15 40 62/.14)', '0 0 0 1px rgb(150 190 225/.07)'),
    float: c('0 10px 30px -6px rgb(15 40 62/.22)', '0 14px 36px -6px rgb(0 0 0/.7)'),
    dialog: c('0 28px 70px -12px rgb(8 24 40/.42)', '0 30px 80px rgb(0 0 0/.75)'),
  },
  colors: {
    accent,
    danger,
    warning,
    success,
    info,
    gray,
    // Chakra's palettes get our colours, so that its alerts, toasts and badges use them.
    blue: accent,
    red: danger,
    orange: warning,
    green: success,
    purple: info,
    bg: {
      DEFAULT: c('#E6EDF3', '#060B10'),
      canvas: c('#F8FAFC', '#0D151D'),
      surface: c('#FFFFFF', '#141F29'),
      // Chakra's background of dialogs, menus and toasts.
      panel: c('#FFFFFF', '#1B2833'),
      subtle: c('#EDF2F6', '#0A1219'),
      muted: c('#EAF1F7', '#1E2C38'),
      emphasized: c('#DCE6EE', '#263644'),
      entry: c('#D9E4ED', '#0A1620'),
    },
    fg: {
      DEFAULT: c('#0F1E2B', '#E9F0F6'),
      muted: c('#4A5D6E', '#A9BAC9'),
      subtle: c('#4A5D6E', '#A9BAC9'),
      error: c('#B3231F', '#FF9A91'),
      warning: c('#8A5200', '#FFC566'),
      success: c('#17684A', '#79D6AB'),
    },
    border: {
      DEFAULT: c('#D5DFE8', '#263644'),
      control: c('#738698', '#6C8297'),
      emphasized: c('#738698', '#6C8297'),
      error: c('#B3231F', '#FF9A91'),
    },
    lamp: { DEFAULT: c('#F5B13D', '#FFC566'), wash: c('#FFF3DA', '#1B2329'), deep: c('#F08A24') },
    scrim: c('rgb(9 18 27/.56)', 'rgb(2 5 8/.68)'),
    chat: {
      own: c('#CFE4F7', '#1B4467'),
      ownText: c('#0B2740', '#EAF4FC'),
      other: c('#EAEFF3', '#202E3A'),
      otherText: c('#0F1E2B', '#E9F0F6'),
      meta: c('#3F566B', '#B7CBDC'),
    },
  },
});
