using { CatalogService } from './cat-service';
using { managed } from '@sap/cds/common';

@requires: 'authenticated-user'
service StockService {
  @cds.query.limit.default: 100
  entity Articles : managed {
    key ID    : Integer;
        @title: 'Name of the article'
        name  : String;
        price : Decimal(9, 2);
        stock : Integer;
  }
  entity Places {
    key store : String;
    key shelf : Integer;
        text  : String;
  }
}
annotate CatalogService with @requires: 'authenticated-user';
