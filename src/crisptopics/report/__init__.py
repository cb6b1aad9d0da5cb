"""The report: one page that shows a fitted model beside its documents."""

from crisptopics.report.data import report_data
from crisptopics.report.page import render, write_report

__all__ = ["render", "report_data", "write_report"]
