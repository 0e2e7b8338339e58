/**
 * The verbs {@code export} and {@code import}: runs on their way out of a journal and into it. Here are the commands, the formats that an import
 * knows ({@code ImportFormat}), the files that it reads ({@code LineSource}), and the format of a sink ({@code SinkExport}).
 *
 * <ul>
 *   <li>Out: {@link dev.rlm.runs.exchange.output} with the base of all formats and their destination; rows of runs and of what is in them
 *       ({@link dev.rlm.runs.exchange.tables}), data for trainers ({@link dev.rlm.runs.exchange.training}).
 *   <li>In: {@link dev.rlm.runs.exchange.input} with records and the events made of them; {@link dev.rlm.runs.exchange.inspect} and
 *       {@link dev.rlm.runs.exchange.agents} with recordings of other programs.
 *   <li>Both ways: {@link dev.rlm.runs.exchange.chat} and {@link dev.rlm.runs.exchange.atif}; a run as all of them see it:
 *       {@link dev.rlm.runs.exchange.transcript}.
 * </ul>
 */
@NullMarked
package dev.rlm.runs.exchange;

import org.jspecify.annotations.NullMarked;
