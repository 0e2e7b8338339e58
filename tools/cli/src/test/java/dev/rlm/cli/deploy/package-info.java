/**
 * Whether what lies under {@code deploy} does what it should: {@code DashboardTest} starts a {@code Load} of each
 * {@code LoadKind} in a {@code GrafanaStack}, and puts every {@code DashboardQuery} to it.
 */
@NullMarked
package dev.rlm.cli.deploy;

import org.jspecify.annotations.NullMarked;
