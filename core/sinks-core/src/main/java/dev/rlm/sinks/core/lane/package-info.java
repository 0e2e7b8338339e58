/**
 * Lanes: the queue and the thread of each sink. They keep sinks from hurting a run or each other, and account for every
 * event. For the hub alone; who writes or uses sinks needs nothing of this.
 */
@NullMarked
package dev.rlm.sinks.core.lane;

import org.jspecify.annotations.NullMarked;
