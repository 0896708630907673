"""Who may be removed, and for whom a lead may make a link to a new password."""

from __future__ import annotations

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Role


def check_keeps_a_lead(membership: Membership) -> None:
    """Refuse to take the role lead, or the membership, from the last who leads."""
    if not (membership.active and membership.has(Role.LEAD)):
        return
    others = Membership.objects.filter(
        project=membership.project_id, active=True, roles__contains=[Role.LEAD]
    ).exclude(pk=membership.pk)
    if not others.exists():
        raise Refused(
            f"{membership.user} is the last active lead of {membership.project}. "
            "Make somebody else lead first."
        )


def check_may_hand_link(membership: Membership, by: User) -> None:
    """Refuse a link that opens more than ``by`` leads: who holds it acts as that person."""
    person = membership.user
    if not (membership.active and person.is_active):
        raise Refused(f"{person} does not take part any more. Let them take part again first.")
    if by.is_operator or by == person:
        return
    if person.is_operator:
        raise Refused(f"{person} is an operator. Only another operator makes their link.")
    led = Membership.objects.filter(user=by, active=True, roles__contains=[Role.LEAD])
    elsewhere = Membership.objects.filter(user=person, active=True).exclude(
        project__in=led.values("project")
    )
    if elsewhere.exists():
        raise Refused(
            f"{person} also takes part in projects that you do not lead. "
            "Ask an operator for the link."
        )
