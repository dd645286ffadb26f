// The name that the tests of other folders still use.
export { waitFor as eventually } from './waitFor';
