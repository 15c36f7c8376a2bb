import type { Page } from 'playwright-core';
import { alert, button, column, entry, fact, field, heading, hint, link, menu, press, says, status } from './find.js';
import { refuse, type Scene } from './scenes.js';

const everybodysMenu = ['Profile', 'View Images', 'Messages', 'Home'].map(menu);
const staffsMenu = ['Dashboard', 'Upload Image', 'Audit Logs'].map(menu);
const adminsMenu = ['Approve Provider', 'Roles', 'Settings'].map(menu);

/** The answer of a model that found nothing. The product's own analysis never gives it. */
const nothingFound = {
  data: {
    status: 'completed',
    imageId: '0'.repeat(24),
    description: '**',
    differentialDiagnosis: [],
    treatment: ['**'],
    followUp: [],
    warnings: [],
    confidence: null,
    assessed: true,
    timestamp: '2026-01-02T03:04:05.000Z',
    provider: 'openai',
    model: 'none',
    review: { state: 'none' },
    stale: false,
  },
};
const somethingFound = {
  data: {
    ...nothingFound.data,
    description: '**A hand**, from the front',
    differentialDiagnosis: [{ condition: '**Fracture**', confidence: 0.62 }],
    confidence: 0.71,
  },
};
const answerWith = (body: object) => (page: Page) =>
  page.route('**/api/analyze/*', (route) => route.fulfill({ status: 200, json: body }), { times: 1 });

export const patientScenes: Scene[] = [
  {
    name: 'view images of a patient',
    path: '/view-images',
    finds: [
      heading('View Images'),
      heading('Shared Images'),
      says('Image not Verified'),
      ...everybodysMenu,
      button('Logout'),
    ],
    none: [heading('Uploaded Images'), ...staffsMenu, ...adminsMenu, button('Share '), button('Delete '), link('Ai')],
  },
  {
    name: 'verify image',
    act: (page) =>
      page
        .getByRole('button', { name: /^Verify/ })
        .first()
        .click(),
    finds: [heading('Verify Image'), field('Enter Image Sharing Id:'), field('Enter Code:'), button('Verify')],
  },
  {
    name: 'profile',
    path: '/profile',
    finds: [
      heading('My Profile'),
      heading('Hina Farooq'),
      says('patient@demo.example'),
      button('Edit Profile'),
      button('Delete account'),
      ...['Personal Information', 'Address', 'Medical Information', 'User Bio'].map(heading),
      ...['Full Name', 'Email address', 'Username', 'Phone Number'].map((label) => fact(label)),
      fact('Date of Birth', '14'),
      fact('Gender', 'Female'),
      ...['Address', 'Country', 'City', 'State'].map((label) => fact(label)),
      fact('Zip Code', 'N/A'),
      ...['Role', 'Insurance No'].map((label) => fact(label)),
      fact('Blood Group', 'B'),
      fact('License No', 'N/A'),
      fact('Primphysician', 'Dr Sana Mirza'),
    ],
    none: [fact('Specialization')],
  },
  {
    name: 'edit profile',
    act: async (page) => {
      await press(page, 'Edit Profile');
      await page.getByRole('dialog').getByLabel('City').fill('Lahore');
      await press(page, 'Save changes');
    },
    finds: [status('Profile updated successfully!'), fact('City', 'Lahore')],
  },
  {
    name: 'messages: a conversation',
    path: '/messages',
    act: async (page) => {
      await says('Select a chat to start messaging').in(page).waitFor();
      await page.getByRole('link').filter({ hasText: 'Sana Mirza' }).click();
    },
    finds: [heading('Messages'), heading('Chats'), says('Today'), says(/^\d{1,2}:\d{2}/), button('New chat')],
    none: [heading('View Medical Images')],
  },
  {
    name: 'messages: nobody found',
    act: async (page) => {
      await press(page, 'New chat');
      await page.getByPlaceholder('Search user by name or email...').fill('nobody at all');
    },
    finds: [heading('Select User to Chat'), hint('Search user by name or email...'), says('No users found')],
  },
  {
    name: 'messages: by e-mail, and the first words',
    act: async (page) => {
      await page.getByPlaceholder('Search user by name or email...').fill('admin@demo');
      await says('admin@demo.example').in(page).waitFor();
      await page.getByRole('dialog').getByText('Admin', { exact: true }).first().waitFor();
      await page.getByRole('dialog').getByText('Amina Rahman').click();
    },
    finds: [heading('Send Message'), field('Message'), button('Send')],
  },
  {
    name: 'messages: one sent from the dialog shows as mine in the list',
    act: async (page) => {
      await page.getByRole('dialog').getByLabel('Message').fill('Good evening');
      await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    finds: [says(/^You: ?Good evening/), says('Good evening')],
  },
  {
    name: 'logout: the server fails',
    act: async (page) => {
      await refuse(page, '**/api/auth/logout');
      await press(page, 'Logout');
    },
    finds: [alert('Logout failed. Please try again.')],
  },
  {
    name: 'the start page of somebody signed in',
    path: '/',
    finds: [link('Dashboard')],
    none: [link('Login')],
  },
];

export const providerScenes: Scene[] = [
  {
    name: 'view images of a provider',
    path: '/view-images',
    finds: [
      heading('Uploaded Images'),
      heading('Shared Images'),
      says('PDF'),
      says(/^\d+ \/ \d+$/),
      button('Previous'),
      button('Next'),
      button('Share Left hand'),
      button('Delete Left hand'),
      says('Ai'),
      ...everybodysMenu,
      ...staffsMenu,
    ],
    none: adminsMenu,
  },
  {
    name: 'share',
    act: async (page) => {
      await page.getByRole('button', { name: /^Share Discharge summary/ }).click();
      await page.getByRole('searchbox').fill('far');
    },
    finds: [
      heading('Share (Discharge summary)'),
      says('Farooq, Hina'),
      says('patient@demo.example'),
      says('Patient'),
      says('24 hours'),
    ],
  },
  {
    name: 'share image',
    path: '/share-image',
    act: (page) => page.getByRole('button', { name: /^Liver/ }).click(),
    finds: [
      heading('Share Your Image'),
      heading('Liver, ultrasound'),
      says(/^Expiry time/),
      button('Copy Link'),
      link('Share on Facebook'),
      link('Share on X'),
    ],
    also: async (page) => {
      const mails = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a[href^="mailto:"]')].map(({ href }) => decodeURIComponent(href))`,
      );
      return mails.length > 1 && mails.every((href) => href.includes('subject=Check out this image'));
    },
  },
  {
    name: 'share image: copied',
    act: (page) =>
      page
        .getByRole('button', { name: /^Copy Link/ })
        .first()
        .click(),
    finds: [status('Link copied to clipboard!')],
  },
  {
    name: 'analysis: a model that found nothing',
    path: '/view-images',
    act: async (page) => {
      await answerWith(nothingFound)(page);
      await page.getByRole('link', { name: 'Ai for Left hand, after fall' }).first().click();
    },
    finds: [
      heading('AI Medical Analysis'),
      ...['Description', 'Differential Diagnosis', 'Treatment', 'Follow-Up', 'Warnings', 'Confidence Score'].map(
        heading,
      ),
      says('No description available.'),
      says('No differential diagnoses found.'),
      says('No treatment information available.'),
      says('No follow-up recommendations available.'),
      says('No warnings available.'),
      says('N/A'),
      says('Analysis generated at'),
    ],
    none: [says('**')],
  },
  {
    name: 'analysis: a model that found something',
    path: '/view-images',
    load: true,
    act: async (page) => {
      await answerWith(somethingFound)(page);
      await page.getByRole('link', { name: 'Ai for Left hand, after fall' }).first().click();
    },
    finds: [says('A hand, from the front'), says('Fracture'), says('62%'), says('71%')],
  },
  {
    name: 'analysis: the server fails',
    path: '/view-images',
    load: true,
    act: async (page) => {
      await page.route('**/api/analyze/*', async (route) => {
        await says('Analyzing').in(page).first().waitFor();
        await route.fulfill({
          status: 503,
          json: { message: 'The analysis is resting.', error: 'RESTING', requestId: 'x' },
        });
      });
      await page.getByRole('link', { name: 'Ai for Left hand, after fall' }).first().click();
    },
    finds: [says('Analyzing'), alert('The analysis is resting.')],
  },
  {
    name: 'profile of a provider',
    path: '/profile',
    finds: [fact('Specialization', 'Radiology'), fact('License No', 'DEMO-1042')],
    none: [fact('Primphysician')],
  },
  {
    name: 'dashboard of a provider',
    path: '/dashboard',
    finds: [heading('Welcome'), column('Full Name')],
    none: [button('Select')],
  },
];

const pageSizes = async (page: Page) => page.getByLabel('Rows per page:').locator('option').allTextContents();

export const adminScenes: Scene[] = [
  {
    name: 'dashboard',
    path: '/dashboard',
    finds: [
      heading('Welcome, Amina Rahman (Admin)'),
      ...['Total Images', 'Shared Images', 'Total Users'].map(heading),
      ...['Full Name', 'Email', 'Role', 'Gender', 'Active', 'Actions'].map(column),
      says('Yes'),
      field('Rows per page:'),
      says(/^1–\d of \d/),
      ...everybodysMenu,
      ...staffsMenu,
      ...adminsMenu,
    ],
    also: async (page) =>
      (await pageSizes(page)).join() === '5,10,25' &&
      (await page.getByLabel('Rows per page:').inputValue()) === '5' &&
      (await page.getByRole('checkbox').count()) > 1,
  },
  {
    name: 'dashboard: row menu',
    act: (page) => press(page, 'Actions for Sana Mirza'),
    finds: [entry('View'), entry('Delete'), entry('Deactivate')],
  },
  {
    name: 'dashboard: to a profile',
    act: (page) => page.getByRole('menuitem', { name: 'View' }).click(),
    finds: [heading('Sana Mirza'), button('Deactivate')],
    also: async (page) => /\/user-profile\/[0-9a-f]{24}$/.test(page.url()),
  },
  {
    name: 'admin dashboard',
    path: '/admin-dashboard',
    finds: [heading('Secure Medical Image Sharing Dashboard')],
    also: async (page) => (await page.locator('main section').count()) > 1,
  },
  {
    name: 'messages: no chats',
    path: '/messages',
    finds: [says('No chats available'), says('Select a chat to start messaging')],
  },
  {
    name: 'messages: a conversation that is not begun',
    path: '/dashboard',
    act: async (page) => {
      await press(page, 'Actions for Hina Farooq');
      await page.getByRole('menuitem', { name: 'View' }).click();
      await page.getByRole('link', { name: 'Message', exact: true }).click();
    },
    finds: [says('No messages yet')],
  },
  {
    name: 'audit logs: while they come',
    act: async (page) => {
      // Hold the answer until the test has seen the waiting state.
      let seen: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        seen = resolve;
      });
      await page.route('**/api/audit/logs*', (route) => held.then(() => route.continue()), { times: 1 });
      await page.getByRole('link', { name: 'Audit Logs' }).click();
      await page.getByText('Loading logs...').first().waitFor();
      seen();
    },
    finds: [
      ...['Timestamp', 'User', 'Action', 'Table', 'IP Address', 'Reason'].map(column),
      hint('Search by user...'),
      field('Rows per page:'),
    ],
    also: async (page) =>
      (await pageSizes(page)).join() === '5,10,20' && (await page.getByLabel('Rows per page:').inputValue()) === '5',
  },
  {
    name: 'audit logs: nobody',
    act: (page) => page.getByPlaceholder('Search by user...').fill('nobody at all'),
    finds: [says('No audit logs found.')],
  },
  {
    name: 'audit logs: the server answers with an error',
    act: async (page) => {
      await page.route('**/api/audit/logs*', (route) =>
        route.fulfill({ status: 400, json: { message: 'The log is shut.', error: 'SHUT', requestId: 'x' } }),
      );
      await page.getByPlaceholder('Search by user...').fill('somebody else');
    },
    finds: [says('Error data: The log is shut.')],
  },
  {
    name: 'audit logs: the server is away',
    act: async (page) => {
      await page.unroute('**/api/audit/logs*');
      await page.route('**/api/audit/logs*', (route) => route.abort());
      await page.getByPlaceholder('Search by user...').fill('a third one');
    },
    finds: [says(/^Error request: /)],
  },
  {
    name: 'settings',
    act: async (page) => {
      await page.unroute('**/api/audit/logs*');
      await page.goto('/appsettings');
      await page.getByLabel('Name of the new setting').fill('clinic.city');
      await page.getByLabel('Value of the new setting').fill('North');
      await page.getByLabel('Description of the new setting').fill('What the clinic is called');
      await press(page, 'Add');
      await page.getByRole('button', { name: 'Edit clinic.city' }).waitFor();
    },
    finds: [
      heading('Settings'),
      ...['Name', 'Value', 'Description', 'Created-at', 'Updated-at', 'Actions'].map(column),
      button('Edit'),
      button('Delete'),
      button('Add'),
    ],
  },
  {
    name: 'settings: a row that is edited',
    act: (page) => press(page, 'Edit clinic.city'),
    finds: [field('Value of clinic.city'), field('Description of clinic.city'), button('Save'), button('Cancel')],
  },
  {
    name: 'settings: the server is away',
    act: async (page) => {
      await press(page, 'Cancel');
      await page.route('**/api/appsetting/delete', (route) => route.abort(), { times: 1 });
      await page.getByRole('button', { name: 'Delete clinic.city' }).click();
      await press(page, 'Delete setting');
    },
    finds: [alert('Backend server is not reachable. Please check your server.')],
  },
  {
    name: 'approve provider: nothing entered',
    path: '/approve-provider',
    act: (page) => press(page, 'Submit'),
    finds: [field('Enter the provider email address'), button('Submit'), says('Email field is required')],
  },
  {
    name: 'approve provider: the server fails',
    act: async (page) => {
      await page.getByLabel('Enter the provider email address').fill('omar.seed@example.org');
      await refuse(page, '**/api/users/approve-provider', {
        after: page.getByRole('button', { name: 'Approving...' }),
      });
      await press(page, 'Submit');
    },
    finds: [alert('Something went wrong while activating the provider.')],
  },
  {
    name: 'approve provider: done',
    act: (page) => press(page, 'Submit'),
    finds: [status('Provider Activated successfully!'), heading('Welcome')],
    also: async (page) => page.url().endsWith('/dashboard'),
  },
  {
    name: 'roles and permissions',
    path: '/roles-permissions',
    finds: [...['patient', 'healthProvider', 'admin'].map((name) => says(name)), says('user.approve')],
    none: [button('Edit'), button('Delete')],
  },
  {
    name: 'logout',
    act: (page) => press(page, 'Logout'),
    finds: [status('Logged out successfully'), heading('Login')],
  },
];
