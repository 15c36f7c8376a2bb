// Configuration of OHIF 3.13 beside Lightbox. Put it in the place of `app-config.js`, with the address of your Lightbox.
const lightbox = 'https://images.clinic.example/dicom-web';

// The address from Lightbox has the token behind `#`, which browsers send to no server, so it is in no log. OHIF reads it
// from the query, and takes it out of the address bar.
const token = new URLSearchParams(location.hash.slice(1)).get('token');
if (token) {
  const address = new URL(location.href);
  address.hash = '';
  address.searchParams.set('token', token);
  history.replaceState(null, '', address);
}

window.config = {
  name: 'lightbox',
  routerBasename: null,
  extensions: [],
  modes: [],
  showStudyList: false,
  maxNumberOfWebWorkers: 3,
  showLoadingIndicator: true,
  maxNumRequests: { interaction: 20, thumbnail: 5, prefetch: 5 },
  defaultDataSourceName: 'lightbox',
  dataSources: [
    {
      namespace: '@ohif/extension-default.dataSourcesModule.dicomweb',
      sourceName: 'lightbox',
      configuration: {
        friendlyName: 'Lightbox',
        name: 'lightbox',
        wadoUriRoot: lightbox,
        qidoRoot: lightbox,
        wadoRoot: lightbox,
        qidoSupportsIncludeField: false,
        imageRendering: 'wadors',
        thumbnailRendering: 'wadors',
        enableStudyLazyLoad: true,
        supportsFuzzyMatching: false,
        supportsWildcard: true,
        bulkDataURI: { enabled: true },
        // Types of parts without quotation marks.
        omitQuotationForMultipartRequest: true,
      },
    },
  ],
};
