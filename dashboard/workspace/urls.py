from django.urls import path

from dashboard.workspace import customers, documentation, elsewhere, ending, people, programs, views

urlpatterns = [
    path("workspace", views.SettingsView.as_view(), name="workspace"),
    path("workspace/company", views.CompanyView.as_view(), name="workspace_company"),
    path("workspace/plan", views.PlanView.as_view(), name="workspace_plan"),
    path("workspace/people", people.PeopleView.as_view(), name="workspace_people"),
    path(
        "workspace/people/two-factor",
        people.RequirementView.as_view(),
        name="workspace_two_factor",
    ),
    path("workspace/people/<uuid:user_id>/role", people.RoleView.as_view(), name="workspace_role"),
    path(
        "workspace/people/<uuid:user_id>/invitation",
        people.InvitationView.as_view(),
        name="workspace_invitation",
    ),
    path(
        "workspace/people/<uuid:user_id>/remove",
        people.RemovalView.as_view(),
        name="workspace_remove",
    ),
    path("workspace/tokens", people.TokensView.as_view(), name="workspace_tokens"),
    path(
        "workspace/tokens/<uuid:token_id>/revoke",
        people.RevocationView.as_view(),
        name="workspace_revoke",
    ),
    path("programs/allow", programs.AllowView.as_view(), name="allow_program"),
    path("workspace/programs", programs.ProgramsView.as_view(), name="workspace_programs"),
    path(
        "workspace/programs/<uuid:access_id>/end",
        programs.EndAccessView.as_view(),
        name="end_program",
    ),
    path("docs", documentation.ApiDocsView.as_view(), name="api_docs"),
    path("docs/schema", documentation.ApiSchemaView.as_view(), name="api_schema"),
    path("workspace/elsewhere", elsewhere.ElsewhereView.as_view(), name="workspace_elsewhere"),
    path("workspace/leaving", ending.LeavingView.as_view(), name="workspace_leaving"),
    path("workspace/exports", ending.ExportsView.as_view(), name="workspace_exports"),
    path(
        "workspace/exports/<uuid:export_id>", ending.ArchiveView.as_view(), name="workspace_archive"
    ),
    path("workspace/customers/data", customers.CustomerDataView.as_view(), name="customer_data"),
    path(
        "workspace/customers/erasure",
        customers.CustomerErasureView.as_view(),
        name="customer_erasure",
    ),
    path("workspace/deletion", ending.DeletionView.as_view(), name="workspace_deletion"),
    path(
        "workspace/deletion/cancel",
        ending.CancellationView.as_view(),
        name="workspace_deletion_cancel",
    ),
]
