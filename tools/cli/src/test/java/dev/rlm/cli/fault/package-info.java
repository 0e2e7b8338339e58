/**
 * The fault suite: what the worst of sinks cost a job, run against the whole house. One test a fault; each holds that the
 * job's results are as ever, that the other sinks have everything, and that every event is accounted for.
 */
package dev.rlm.cli.fault;
