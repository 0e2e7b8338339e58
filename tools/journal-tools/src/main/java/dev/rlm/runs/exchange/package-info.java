/**
 * Runs on their way out of a journal and into it: the commands {@code export} and {@code import}. Where to look:
 *
 * <ul>
 *   <li>Out: {@code ExportCommand}, {@code Export}; each {@code ExportFormat}: {@code SinkExport}, {@code ChatExport},
 *       {@code AtifExport} (its document: {@code AtifDocument}), {@code TripletExport}, {@code CsvExport}, {@code ParquetExport}; the tables of the last two: {@code RunTables},
 *       {@code EventTables}; where to: {@code Destination}; what was said in a run: {@code Transcript}.
 *   <li>In: {@code ImportCommand}, {@code Importer}; each {@code ImportFormat}: {@code ChatReader}, {@code AtifReader}, {@code RlmCodeReader};
 *       where from: {@code LineSource}; the events of a run: {@code Recording}.
 * </ul>
 */
@NullMarked
package dev.rlm.runs.exchange;

import org.jspecify.annotations.NullMarked;
