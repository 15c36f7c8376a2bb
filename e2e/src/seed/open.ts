import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { tick } from '../person.js';
import { alert, button, field, heading, link, press, radio, says, status } from './find.js';
import { refuse, type Scene } from './scenes.js';

const enter = (page: Page, label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
const tooBig = { name: 'scan.png', mimeType: 'image/png', buffer: Buffer.alloc(10 * 1024 * 1024 + 1, 1) };

/** A picture with a comment (JPEG COM segment) of its own: the demonstration's picture is stored already. */
function newPicture() {
  const jpeg = readFileSync(join(import.meta.dirname, '../../../backend/assets/demo/hand-xray.jpg'));
  const comment = Buffer.from(`\xff\xfe\x00\x06seed`, 'latin1');
  return {
    name: 'hand.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]),
  };
}

/** The seed specification of the screens that need no session. */
export const openScenes: Scene[] = [
  {
    name: 'landing',
    path: '/',
    finds: [
      link('Login'),
      link('Register'),
      link('Get Started'),
      says('500K+'),
      says('24/7'),
      says('1M+'),
      heading('Encrypted upload'),
      heading('Sharing'),
      heading('Role-based access'),
      heading('Audit trails'),
      heading('Secure messaging'),
      heading('DICOM sharing'),
      heading('AI-driven analytics'),
      heading('Quick links'),
    ],
  },
  {
    name: 'login',
    path: '/login',
    finds: [
      field('Email'),
      field('Password'),
      button('Show password'),
      link('Forgot Password?'),
      link('Register'),
      button('Login'),
    ],
  },
  {
    name: 'login: nothing entered',
    act: (page) => press(page, 'Login'),
    finds: [says('Please enter a valid email.'), says('Please enter your password.')],
  },
  {
    name: 'login: the server fails',
    act: async (page) => {
      await refuse(page, '**/api/auth/login');
      await enter(page, 'Email', 'somebody@example.org');
      await enter(page, 'Password', 'Whatever-12');
      await press(page, 'Show password');
      await press(page, 'Login');
    },
    finds: [button('Hide password'), alert('Login failed. Please try again.')],
  },
  {
    name: 'register: role',
    path: '/register',
    finds: [heading('Select Role'), radio('Patient'), radio('Health provider'), link('Login'), button('Next')],
    none: [button('Back')],
    also: async (page) => !(await page.getByRole('button', { name: 'Next' }).isEnabled()),
  },
  {
    name: 'register: personal details',
    act: async (page) => {
      await tick(page.getByRole('radio', { name: 'Health provider' }));
      await press(page, 'Next');
    },
    finds: [
      heading('Personal Details'),
      button('Back'),
      ...['First name', 'Last name', 'Email', 'Username', 'Phone', 'Date of birth', 'Gender'].map(field),
      ...['Address', 'Country', 'State', 'City', 'Zip code', 'Bio'].map(field),
      ...['Male', 'Female', 'Other'].map(radio),
    ],
  },
  {
    name: 'register: medical details of a provider',
    act: async (page) => {
      await enter(page, 'First name', 'Omar');
      await enter(page, 'Last name', 'Khan');
      await page.getByLabel('Email').fill('omar.seed@example.org');
      await page.getByLabel('Username').fill('omar.seed');
      await press(page, 'Next');
    },
    finds: [
      heading('Medical Details'),
      button('Back'),
      ...['License number', 'Insurance number', 'Tax id', 'Specialization'].map(field),
    ],
    none: [field('Blood group'), field('Primary physician')],
  },
  {
    name: 'register: password',
    act: async (page) => {
      await page.getByLabel('License number').fill('PMC-1');
      await page.getByLabel('Specialization').fill('Radiology');
      await press(page, 'Next');
      await enter(page, 'Password', 'short');
      await enter(page, 'Confirm password', 'shorter');
      await press(page, 'Submit');
    },
    finds: [
      heading('Security & Submit'),
      button('Back'),
      says('Password must be at least 8 characters long and include uppercase, lowercase, and a number.'),
      says('Passwords do not match!'),
    ],
  },
  {
    name: 'register: a provider is held for review',
    act: async (page) => {
      await enter(page, 'Password', 'Long-Enough-Pass-9');
      await enter(page, 'Confirm password', 'Long-Enough-Pass-9');
      await press(page, 'Submit');
    },
    finds: [says(/account was created and is under review/), says(/We will inform you/)],
    also: async (page) => page.url().endsWith('/register'),
  },
  {
    name: 'register: medical details of a patient',
    path: '/register',
    act: async (page) => {
      await tick(page.getByRole('radio', { name: 'Patient' }));
      await press(page, 'Next');
      await enter(page, 'First name', 'Hina');
      await enter(page, 'Last name', 'Seed');
      await page.getByLabel('Email').fill('hina.seed@example.org');
      await page.getByLabel('Username').fill('hina.seed');
      await press(page, 'Next');
    },
    finds: [heading('Medical Details'), field('Primary physician'), field('Blood group')],
    none: [field('License number'), field('Tax id')],
  },
  {
    name: 'register: a patient goes to the code',
    act: async (page) => {
      await press(page, 'Next');
      await enter(page, 'Password', 'Long-Enough-Pass-9');
      await enter(page, 'Confirm password', 'Long-Enough-Pass-9');
      await press(page, 'Submit');
    },
    finds: [status('Registration successful!')],
  },
  {
    name: 'verify account',
    act: (page) => page.waitForURL('**/verify-account'),
    finds: [
      heading('OTP Verification'),
      says('Enter the 6-digit code sent to your email.'),
      field('Digit 6 of 6'),
      button('Verify'),
      link('Home'),
      link('Already have an account?'),
    ],
    none: [field('Digit 7')],
  },
  {
    name: 'verify account: incomplete',
    act: (page) => press(page, 'Verify'),
    finds: [alert('Please enter a valid email and complete the OTP.')],
  },
  {
    name: 'verify account: no letter is taken, a digit moves on',
    act: async (page) => {
      await page.getByLabel('Digit 1 of 6').focus();
      await page.keyboard.type('a1');
    },
    finds: [],
    also: async (page) =>
      (await page.getByLabel('Digit 1 of 6').inputValue()) === '1' &&
      (await page.evaluate<boolean>(`document.activeElement.getAttribute('aria-label') === 'Digit 2 of 6'`)),
  },
  {
    name: 'verify account: while it is sent, and when the server fails',
    act: async (page) => {
      await page.keyboard.type('23456');
      await refuse(page, '**/api/auth/confirm', { after: page.getByRole('button', { name: 'Verifying' }) });
      await press(page, 'Verify');
    },
    finds: [alert('An error occurred. Please try again.')],
  },
  {
    name: 'forgot password',
    path: '/forgot-password',
    act: (page) => press(page, 'Send code'),
    finds: [field('Email'), button('Send code'), link('Home'), says('Please enter a valid email.')],
  },
  {
    name: 'forgot password: the code',
    act: async (page) => {
      await page.getByLabel('Email').fill('nobody@example.org');
      await press(page, 'Send code');
    },
    finds: [
      status('Reset code sent successfully!'),
      field('Digit 6 of 6'),
      field('New password'),
      field('Confirm password'),
      link('Home'),
    ],
  },
  {
    name: 'forgot password: nothing entered',
    act: (page) => press(page, 'Change password'),
    finds: [says('Please enter a valid 6-digit OTP.'), says('Password fields cannot be empty.')],
  },
  {
    name: 'forgot password: two passwords, and the server fails',
    act: async (page) => {
      await enter(page, 'New password', 'Long-Enough-Pass-9');
      await enter(page, 'Confirm password', 'Long-Enough-Pass-8');
      await press(page, 'Change password');
      await says('Passwords do not match!').in(page).first().waitFor();
      await page.getByLabel('Digit 1 of 6').focus();
      await page.keyboard.type('123456');
      await enter(page, 'Confirm password', 'Long-Enough-Pass-9');
      await refuse(page, '**/api/auth/reset-password');
      await press(page, 'Change password');
    },
    finds: [alert('Something went wrong. Please try again.')],
  },
  {
    name: 'reset password',
    path: '/reset-password?token=from-a-mail',
    act: async (page) => {
      await enter(page, 'New password', 'Long-Enough-Pass-9');
      await enter(page, 'Confirm password', 'Long-Enough-Pass-8');
      await press(page, 'Reset Password');
    },
    finds: [heading('Reset Password'), button('Reset Password'), says('Passwords do not match!')],
  },
  { name: 'guard', path: '/dashboard', finds: [heading('Login')], also: async (page) => page.url().endsWith('/login') },
];

/** The seed specification of the upload. */
export const uploadScenes: Scene[] = [
  {
    name: 'upload',
    path: '/upload',
    act: (page) => page.getByRole('button', { name: 'Upload Image' }).click(),
    finds: [
      heading('Upload Medical Image'),
      says(/Drop a file here/),
      field('Caption'),
      field('Patient'),
      says('Please select a file to upload.'),
      says('Please provide a caption.'),
    ],
  },
  {
    name: 'upload: a type that is not taken',
    act: (page) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') }),
    finds: [says('Invalid file type. Allowed: .jpg, .png, .pdf, .dicom')],
  },
  {
    name: 'upload: too big',
    path: '/upload',
    act: (page) => page.locator('input[type=file]').setInputFiles(tooBig),
    finds: [says('File size exceeds 10MB limit.')],
  },
  {
    name: 'upload: a picture is shown, and the server fails',
    path: '/upload',
    act: async (page) => {
      await page.locator('input[type=file]').setInputFiles(newPicture());
      await page.getByAltText(/^Preview of/).waitFor();
      await page.getByLabel('Caption').fill('Right hand');
      await refuse(page, '**/api/upload/image');
      await page.getByRole('button', { name: 'Upload Image' }).click();
    },
    finds: [says('Something went wrong while uploading.')],
  },
  {
    name: 'upload: done',
    act: (page) => press(page, 'Try again'),
    finds: [status('Image uploaded successfully!'), heading('View Images')],
  },
];
