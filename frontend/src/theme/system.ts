import { createSystem, defineConfig, type SlotRecipeConfig } from '@chakra-ui/react';
import { base } from './base';

// `_light`/`_dark`, never `base`: Chakra's defaults use them, and a `base` value would lose to the defaults.
const c = (light: string, dark = light) => ({ value: { _light: light, _dark: dark } });
const tokens = <K extends string>(values: Record<K, string>) =>
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

/** A field's own focus: its edge turns, with a soft ring around it; the ring of buttons keeps its distance. */
const control = { borderColor: 'border.control', bg: 'bg.surface', focusVisibleRing: 'mixed' } as const;
/** Chakra merges this over its own recipe, which already names the slots. */
const refine = (recipe: Omit<SlotRecipeConfig, 'slots'>) => recipe as SlotRecipeConfig;
const outline = (slot: string) => refine({ variants: { variant: { outline: { [slot]: control } } } });
/** Solid colours lean towards the text colour on hover: darker by day, lighter by night. */
const leaning = 'color-mix(in srgb, var(--chakra-colors-color-palette-solid) 86%, var(--chakra-colors-fg))';
/** A finger needs 44 px; a mouse does not. */
const finger = { '@media (pointer: coarse)': { minH: 'touch', minW: 'touch' } };

export const system = createSystem(
  base,
  defineConfig({
    theme: {
      tokens: {
        fonts: tokens({
          // Urdu after Latin: a letter is taken from the first font that has it, and Latin and digits stay in Atkinson.
          body: '"Atkinson Hyperlegible Next Variable", "Noto Nastaliq Urdu Variable", system-ui, sans-serif',
          heading: '"Atkinson Hyperlegible Next Variable", "Noto Nastaliq Urdu Variable", system-ui, sans-serif',
          mono: '"Atkinson Hyperlegible Mono Variable", "Noto Nastaliq Urdu Variable", ui-monospace, monospace',
        }),
        fontSizes: tokens({
          xs: '0.8125rem',
          sm: '0.875rem',
          md: '1rem',
          lg: '1.1875rem',
          xl: '1.375rem',
          '2xl': '1.75rem',
          '3xl': '2.375rem',
          '4xl': '3.75rem',
        }),
        radii: tokens({
          film: '4px',
          control: '10px',
          box: '12px',
          card: '14px',
          float: '16px',
          bubble: '17px',
          sheet: '18px',
          panel: '20px',
        }),
        // In pixels: Urdu's larger type must not spread the layout.
        spacing: tokens({ block: '18px' }),
        sizes: tokens({ touch: '44px' }),
        durations: tokens({ press: '90ms', fade: '160ms', slide: '240ms', light: '420ms' }),
        easings: tokens({ settle: 'cubic-bezier(.2,.8,.2,1)' }),
        colors: {
          viewer: tokens({
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
          film: tokens({ bg: '#080D12', text: '#E2EAF1', muted: '#93A7B8' }),
        },
      },
      keyframes: {
        lightUp: { from: { opacity: '0', filter: 'brightness(.25)' }, to: { opacity: '1', filter: 'brightness(1)' } },
      },
      semanticTokens: {
        // A field of a form, and a smaller control of a bar: both taller where fingers press them.
        sizes: {
          field: { value: { base: '50px', lg: '44px' } },
          control: { value: { base: '44px', lg: '40px' } },
        },
        radii: tokens({ l1: '6px', l2: '{radii.control}', l3: '{radii.card}' }),
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
          // Chakra's own status names, so that its alerts, toasts and badges follow ours.
          blue: accent,
          red: danger,
          orange: warning,
          green: success,
          purple: info,
          bg: {
            DEFAULT: c('#E6EDF3', '#060B10'),
            canvas: c('#F8FAFC', '#0D151D'),
            surface: c('#FFFFFF', '#141F29'),
            // Chakra's raised surface: dialogs, menus, toasts.
            panel: c('#FFFFFF', '#1B2833'),
            subtle: c('#EDF2F6', '#0A1219'),
            muted: c('#EAF1F7', '#1E2C38'),
            emphasized: c('#DCE6EE', '#263644'),
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
          lamp: { DEFAULT: c('#F5B13D', '#FFC566'), wash: c('#FFF3DA', '#1B2329') },
          scrim: c('rgb(9 18 27/.56)', 'rgb(2 5 8/.68)'),
          chat: {
            own: c('#CFE4F7', '#1B4467'),
            ownText: c('#0B2740', '#EAF4FC'),
            other: c('#EAEFF3', '#202E3A'),
            otherText: c('#0F1E2B', '#E9F0F6'),
            meta: c('#3F566B', '#B7CBDC'),
          },
        },
      },
      layerStyles: {
        disabled: {
          value: {
            bg: 'bg.subtle',
            color: 'fg.muted',
            borderColor: 'border',
            cursor: 'not-allowed',
            opacity: 1,
          },
        },
        card: { value: { bg: 'bg.surface', borderWidth: '1px', borderColor: 'border', borderRadius: 'card' } },
        /** What is on its way: it shows after 200 ms and keeps still. */
        waiting: {
          value: {
            backgroundImage:
              'linear-gradient(90deg, var(--chakra-colors-bg-subtle), var(--chakra-colors-bg-muted), var(--chakra-colors-bg-subtle))',
            borderRadius: '6px',
            animation: 'fade-in 160ms 200ms both',
          },
        },
        /** The lit panel: a soft wash of lamp light under its top edge. */
        lit: {
          value: {
            position: 'relative',
            bg: 'bg.canvas',
            backgroundImage:
              'radial-gradient(60% 190px at 50% -40px, var(--chakra-colors-lamp-wash), transparent 100%)',
            backgroundRepeat: 'no-repeat',
            boxShadow: 'panel',
          },
        },
      },
      textStyles: {
        page: {
          value: {
            fontSize: { base: '1.5625rem', lg: '2xl' },
            lineHeight: '1.18',
            fontWeight: '650',
            letterSpacing: '-.018em',
          },
        },
        section: { value: { fontSize: 'lg', lineHeight: '1.3', fontWeight: '650', letterSpacing: '-.01em' } },
        total: {
          value: { fontSize: '3xl', lineHeight: '1', fontWeight: '700', letterSpacing: '-.03em' },
        },
      },
      recipes: {
        button: {
          base: {
            fontWeight: 'semibold',
            transitionDuration: 'fade',
            _active: { transform: 'scale(.985)', transitionDuration: 'press' },
            _disabled: { _hover: { bg: 'bg.subtle' }, _active: { transform: 'none' } },
            _icon: { width: '20px', height: '20px' },
          },
          variants: {
            size: {
              xs: { ...finger },
              sm: {
                h: '34px',
                minW: '34px',
                px: '3',
                gap: '1.5',
                borderRadius: '9px',
                _icon: { width: '18px', height: '18px' },
                ...finger,
              },
              md: { textStyle: 'none', fontSize: '.9375rem', ...finger },
              lg: { h: '48px', minW: '48px', px: '22px', gap: '2', borderRadius: '12px' },
              xl: { h: '52px', px: '6', borderRadius: '12px' },
            },
            variant: {
              solid: { _hover: { bg: leaning }, _expanded: { bg: leaning } },
              subtle: { color: 'colorPalette.onSubtle' },
              outline: {
                borderColor: 'border.control',
                bg: 'bg.surface',
                color: 'fg',
                _hover: { bg: 'bg.muted' },
                _expanded: { bg: 'bg.muted' },
              },
              // Quiet, for bars and rows; `plain` keeps the palette's colour (a red Delete icon).
              ghost: {
                color: 'fg.muted',
                _hover: { bg: 'bg.emphasized', color: 'fg' },
                _expanded: { bg: 'bg.emphasized', color: 'fg' },
              },
              plain: { _hover: { bg: 'colorPalette.subtle' } },
              // The edge and the words in the palette's colour (Revoke, Delete account).
              surface: {
                bg: 'transparent',
                shadow: 'none',
                borderColor: 'colorPalette.fg',
                _hover: { bg: 'colorPalette.subtle' },
              },
            },
          },
        },
        input: {
          base: { transition: 'border-color, box-shadow', transitionDuration: 'fade' },
          variants: {
            size: { lg: { textStyle: 'none', fontSize: { base: 'md', lg: '.9375rem' }, px: '13px' } },
            variant: { outline: control },
          },
        },
        textarea: {
          variants: {
            size: { lg: { textStyle: 'none', fontSize: { base: 'md', lg: '.9375rem' }, px: '13px' } },
            variant: { outline: control },
          },
        },
        checkmark: { variants: { variant: { solid: { borderColor: 'border.control', bg: 'bg.surface' } } } },
        link: {
          base: { fontWeight: 'inherit', textUnderlineOffset: '3px' },
          variants: { variant: { underline: { color: 'colorPalette.fg', textDecorationColor: 'currentColor' } } },
        },
        heading: { base: { fontWeight: '650', letterSpacing: '-.01em' } },
      },
      slotRecipes: {
        pinInput: outline('input'),
        combobox: outline('input'),
        nativeSelect: outline('field'),
        checkbox: refine({
          variants: { variant: { solid: { control: { borderColor: 'border.control', bg: 'bg.surface' } } } },
        }),
        switch: refine({
          base: { label: { lineHeight: '1.4' } },
          variants: { variant: { solid: { control: { bg: 'border.control' } } } },
        }),
        table: refine({
          variants: {
            size: {
              md: {
                columnHeader: { px: '3.5', py: '11px', fontSize: 'xs', fontWeight: 'semibold' },
                cell: { px: '3.5', py: '0', h: '58px' },
              },
            },
            variant: {
              line: {
                root: { bg: 'transparent' },
                row: { bg: 'transparent' },
                columnHeader: { color: 'fg.muted', borderBottomWidth: '0' },
                cell: { borderBottomWidth: '0', borderTopWidth: '1px', borderColor: 'border' },
              },
            },
          },
        }),
        field: refine({
          base: {
            label: { fontWeight: 'semibold', userSelect: 'auto' },
            errorText: { alignItems: 'flex-start', gap: '1.5', textStyle: 'none', fontSize: '.84375rem' },
            helperText: { lineHeight: '1.4' },
          },
        }),
        menu: refine({
          base: {
            content: {
              borderWidth: '1px',
              borderColor: 'border',
              borderRadius: '12px',
              boxShadow: 'float',
              p: '1.5',
              minW: '190px',
            },
            item: {
              minH: '38px',
              px: '2.5',
              gap: '2.5',
              borderRadius: '8px',
              fontSize: '.90625rem',
              fontWeight: 'medium',
              '@media (pointer: coarse)': { minH: 'touch' },
            },
          },
        }),
        dialog: refine({
          base: {
            backdrop: { bg: 'scrim' },
            content: {
              borderRadius: { base: '{radii.sheet} {radii.sheet} 0 0', md: 'sheet' },
              borderWidth: '1px',
              borderColor: 'border',
              boxShadow: 'dialog',
              textStyle: 'none',
              fontSize: 'md',
              overflow: 'hidden',
              maxW: { base: '100vw', md: '520px' },
              // A sheet from below on a phone.
              mt: { base: 'auto', md: 'var(--dialog-base-margin)' },
              mb: { base: '0', md: 'var(--dialog-base-margin)' },
              maxH: { base: '92dvh', md: 'none' },
              _open: { animationDuration: 'slide' },
            },
            header: { px: '6', pt: '22px', pb: '0' },
            body: { px: '6', pt: '18px', pb: '22px', overflowY: 'auto' },
            footer: {
              px: '6',
              py: '4',
              gap: '2.5',
              borderTopWidth: '1px',
              borderColor: 'border',
              bg: 'color-mix(in srgb, var(--chakra-colors-bg-subtle) 55%, var(--chakra-colors-bg-panel))',
            },
            title: {
              textStyle: 'none',
              fontSize: '1.25rem',
              lineHeight: '1.3',
              fontWeight: '650',
              letterSpacing: '-.01em',
            },
          },
          defaultVariants: { placement: 'center', motionPreset: 'slide-in-bottom' },
        }),
        drawer: refine({ base: { backdrop: { bg: 'scrim' } } }),
        toast: refine({
          base: {
            root: {
              borderRadius: '13px',
              borderWidth: '1px',
              borderColor: 'border',
              boxShadow: 'float',
              // Icon and word carry the state; the surface stays calm.
              '&[data-type]': { bg: 'bg.panel', color: 'fg' },
            },
            title: { fontWeight: 'semibold', textStyle: 'none', fontSize: '.90625rem' },
            description: { opacity: 1, color: 'fg.muted' },
            closeTrigger: { color: 'fg.muted' },
          },
        }),
      },
    },
    globalCss: {
      '*': { '--focus-ring-width': '3px' },
      html: { colorPalette: 'accent', scrollPaddingTop: '80px', textSizeAdjust: '100%' },
      body: { fontSize: 'md', minH: '100dvh' },
      p: { textWrap: 'pretty' },
      'a:focus-visible, [tabindex]:focus-visible, summary:focus-visible': {
        outline: '3px solid',
        outlineColor: 'accent.focusRing',
        outlineOffset: '2px',
      },
      'main:focus-visible, h1:focus-visible, [role=dialog]:focus-visible': { outline: 'none' },
      '*::placeholder, *[data-placeholder]': { color: 'fg.muted' },
      // An empty field has no direction of its own yet: it is the page's.
      '[dir=rtl] textarea[dir=auto]:placeholder-shown': { direction: 'rtl' },
      // One line keeps the page's edges, where its icons are; its words run as they are written.
      '[dir=rtl] input[dir=auto]': { direction: 'rtl', unicodeBidi: 'plaintext', textAlign: 'right' },
      // Headings, values and rows begin at the edge of the page, whatever their language; paragraphs at their own.
      // By the physical side, for not every browser knows `match-parent`.
      'html[dir=rtl] :is(:is(h1, h2, h3, h4, dd, a)[dir=auto], [data-row] [dir=auto])': { textAlign: 'right' },
      'html[dir=ltr] :is(:is(h1, h2, h3, h4, dd, a)[dir=auto], [data-row] [dir=auto])': { textAlign: 'left' },
      // Nastaliq falls steeply: one size up, lines twice as high, never tracked. What is Latin by nature keeps its own.
      'html[lang=ur]': { fontSize: '106.25%' },
      'html[lang=ur] :not(svg, svg *, [dir=ltr], [dir=ltr] *)': {
        lineHeight: '2 !important',
        letterSpacing: 'normal !important',
      },
      '*, *::before, *::after': {
        '@media (prefers-reduced-motion: reduce)': {
          animationDuration: '.01ms !important',
          animationIterationCount: '1 !important',
          transitionDuration: '.01ms !important',
          scrollBehavior: 'auto !important',
        },
      },
    },
  }),
);
