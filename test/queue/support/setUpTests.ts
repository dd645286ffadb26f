import '../../e2e/support/setUpTests';

jest.setTimeout(600_000);
